#include "app/viewmodels/importing/ImportPlanModel.h"

namespace trainscope::app {

UnrecognisedModel::UnrecognisedModel(QObject* parent)
    : RowListModel(
        {{"path",
             [](const importers::Unrecognised& file) { return QString::fromStdString(file.path); }},
            {"reason",
                [](const importers::Unrecognised& file) {
                    return QString::fromStdString(file.reason);
                }}},
        parent) { }

} // namespace trainscope::app
