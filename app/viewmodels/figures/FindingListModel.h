#pragma once
// Findings as people read them: the sentence, its numbers, its rule and what it is a share of. GUI
// thread.

#include <QQmlEngine>

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Views.h"

#include <map>
#include <string>

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
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the findings.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit FindingListModel(QObject* parent = nullptr);
    // One finding, or all of them, as plain text.
    [[nodiscard]] QString textOf(int row) const;
    [[nodiscard]] QString text() const;
};

} // namespace trainscope::app
