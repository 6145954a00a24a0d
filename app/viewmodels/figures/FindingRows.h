#pragma once
// Findings as people read them: the sentence, its numbers, its rule and the whole that it is a
// share of. Rows are made by any thread that owns the store; the model is of the GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/findings/Findings.h"
#include "core/model/Import.h"

#include <QQmlEngine>

#include <map>
#include <string>
#include <vector>

namespace trainscope::app {

struct FindingRow {
    QString run;
    QString text;
    QString rule; // the question, and the value from which the finding is told
    QString denominator; // the whole that shares refer to
    QString place; // "rank 5 · 12.3 s to 14.0 s"; empty: of the whole run
    QString severityText; // "costly", "notable", "to know"
    int severity = 0; // 0 to know, 1 notable, 2 costly
    QStringList labels; // labels of the numbers
    QStringList values; // ready to read
    std::map<std::string, double> numbers; // SI; their names end in their unit
    Evidence evidence;
    bool operator==(const FindingRow&) const = default;
};

class FindingListModel : public RowListModel<FindingRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit FindingListModel(QObject* parent = nullptr);
    // One finding, or all of them, as plain text.
    Q_INVOKABLE [[nodiscard]] QString textOf(int row) const;
    Q_INVOKABLE [[nodiscard]] QString text() const;
};

// In the order they are shown in. Cancelled by progress.
Result<std::vector<FindingRow>> findingRows(const analysis::RunStudy& study);

// Its values with their units, which their names and the finding's metric tell.
FindingRow findingRow(const Run& run, const analysis::Finding& finding);

} // namespace trainscope::app
