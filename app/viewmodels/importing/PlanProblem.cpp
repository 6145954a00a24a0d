// Problems that keep a plan of an import from being carried out as it stands.
#include "app/viewmodels/importing/ImportPlanModel.h"

#include "app/viewmodels/text/ShownText.h"

namespace trainscope::app {

static bool hasRunName(const importers::ImportUnit& unit) {
    return !QString::fromStdString(importers::runText(unit)).trimmed().isEmpty();
}

QString ImportPlanModel::problem() const {
    if (selectedCount() == 0)
        return tr("Choose at least one source.");
    for (const auto& row : rows()) {
        if (!row.unit.enabled)
            continue;
        if (const QString text = problemOf(row); !text.isEmpty())
            return text;
    }
    return {};
}

QString ImportPlanModel::problemOf(const ImportRow& row) {
    const auto path = shownLine(row.unit.path);
    if (!hasRunName(row.unit))
        return row.unit.machine ? tr("%1 describes the machine of a run: name the run, or drop it "
                                     "together with the run's files.")
                                      .arg(path)
                                : tr("%1 needs the name of a run.").arg(path);
    if (!row.misfit.isEmpty())
        return tr("%1 cannot be the machine of %2: %3 Choose another run, or leave it out.")
            .arg(path, shownLine(importers::runText(row.unit)), row.misfit);
    if (row.rankFaulty)
        return tr("The rank of %1 must be a whole number from 0.").arg(path);
    if (row.offsetFaulty && row.unit.clock == importers::ClockKind::None)
        return tr("The start of %1 must be a date with a time, such as 2026-04-22 00:08:54.")
            .arg(path);
    if (row.offsetFaulty)
        return tr("The time zone of %1 must be an offset such as +02:00, or a name such as "
                  "Europe/Berlin.")
            .arg(path);
    if (row.periodFaulty)
        return tr("The period of %1 must be a time such as 100 ms or 1.5 s.").arg(path);
    if (row.airflowFaulty)
        return tr("The order of the air of %1 must name the GPUs of a node once each, as in "
                  "4, 5, 6, 7, 0, 1, 2, 3.")
            .arg(runOf(row.unit));
    return {};
}

} // namespace trainscope::app
