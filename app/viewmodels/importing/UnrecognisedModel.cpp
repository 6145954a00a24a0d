#include "app/viewmodels/importing/ImportPlanModel.h"

#include "app/viewmodels/text/ShownText.h"

namespace trainscope::app {

UnrecognisedModel::UnrecognisedModel(QObject* parent)
    : RowListModel(
        {{"path", [](const importers::Unrecognised& file) { return shownLine(file.path); }},
            {"reason", [](const importers::Unrecognised& file) { return shownText(file.reason); }}},
        parent) { }

} // namespace trainscope::app
