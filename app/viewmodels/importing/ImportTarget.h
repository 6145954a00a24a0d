#pragma once
// Target of an import: the open run database, or a file of its own. Asks the disk: not on the GUI
// thread.

#include <QString>
#include <QStringList>

#include <cstdint>

namespace trainscope::app {

// <name of the first source>.trainscope beside it, or in the user's documents where one cannot
// write there. `sources` holds at least one absolute path.
QString suggestedDatabase(const QStringList& sources);

// True where runs can be added to it: a file that can be written, in a folder that can be written
// (SQLite keeps its journal beside the file), other than the built-in sample.
bool canAddTo(const QString& database);

struct TargetCheck {
    QString problem = {}; // reason that nothing can be written there; empty: it can
    QString remark = {}; // warning on it, such as little space
    bool exists = false;
    bool operator==(const TargetCheck&) const = default;
};

// Changes nothing; `sourceBytes` is what would be imported.
TargetCheck checkTarget(const QString& database, std::uint64_t sourceBytes);

struct TargetQuestion {
    QString openDatabase; // empty: none
    QString newDatabase;
    bool prefersOpen = false; // as a target if runs can be added to it
    std::uint64_t sourceBytes = 0;
};
struct TargetAnswer {
    TargetCheck target; // check of the database that takes the runs
    bool canUseOpen = false;
    bool operator==(const TargetAnswer&) const = default;
};
TargetAnswer answerOf(const TargetQuestion& question);

} // namespace trainscope::app
