#pragma once
// Where an import goes: into the open run database, or into a file of its own. GUI thread only.

#include <QString>
#include <QStringList>

namespace trainscope::app {

// <name of the first source>.trainscope beside it, or in the user's documents where one cannot
// write there. `sources` holds at least one absolute path.
QString suggestedDatabase(const QStringList& sources);

// Whether runs can be added to it: a file that can be written, in a folder that can be written
// (SQLite keeps its journal beside the file), other than the built-in sample.
bool canAddTo(const QString& database);

} // namespace trainscope::app
