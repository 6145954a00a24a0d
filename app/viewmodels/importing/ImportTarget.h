#pragma once
// Where an import goes: into the open run database, or into a file of its own. GUI thread only.

#include <QString>
#include <QStringList>

#include <cstdint>

namespace trainscope::app {

// <name of the first source>.trainscope beside it, or in the user's documents where one cannot
// write there. `sources` holds at least one absolute path.
QString suggestedDatabase(const QStringList& sources);

// Whether runs can be added to it: a file that can be written, in a folder that can be written
// (SQLite keeps its journal beside the file), other than the built-in sample.
bool canAddTo(const QString& database);

struct TargetCheck {
    QString problem; // why nothing can be written there; empty: it can
    QString remark; // what should be known of it, such as little space
};

// Asks the disk, without changing anything; `sourceBytes` is what would be imported.
TargetCheck checkTarget(const QString& database, std::uint64_t sourceBytes);

} // namespace trainscope::app
