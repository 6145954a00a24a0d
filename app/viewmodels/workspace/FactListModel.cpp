#include "app/viewmodels/workspace/FactListModel.h"

#include "app/viewmodels/text/Texts.h"

#include <QStringList>

namespace trainscope::app {

FactListModel::FactListModel(QObject* parent)
    : RowListModel({{"label", &Fact::label}, {"value", &Fact::value}, {"isHead", &Fact::isHead},
                       {"note", &Fact::note}},
        parent) { }

QString FactListModel::text() const {
    QString text;
    for (const auto& fact : facts()) {
        QStringList cells{fact.label};
        if (!fact.isHead)
            cells.append(fact.value);
        if (!fact.note.isEmpty())
            cells.append(fact.note);
        text += tabbedLine(cells);
    }
    return text;
}

} // namespace trainscope::app
