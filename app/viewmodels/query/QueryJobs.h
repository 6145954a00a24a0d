#pragma once
// Jobs of the view of queries on a reader thread: ask for the rows that the window keeps, write all
// of them to a file, and list the tables.

#include "app/viewmodels/query/QueryRows.h"
#include "core/model/Import.h"
#include "core/store/Query.h"

#include <QString>

#include <memory>
#include <vector>

namespace trainscope::app {

// The rows of the last statement, as many as are kept. progress tells how many there are so far.
Result<std::shared_ptr<const QueryRows>> readRows(
    const store::Store& store, const std::string& sql, const Progress& progress);

// Every row, as the command line writes them; the file appears whole or not at all. Gives the
// number of rows.
Result<std::int64_t> writeRows(const store::Store& store, const std::string& sql,
    const QString& path, const Progress& progress);

// The rows that the window keeps, in the same form.
std::string rowsCsv(const QueryRows& rows);

Result<std::vector<store::SqlTable>> readTables(const store::Store& store);

} // namespace trainscope::app
