#pragma once
// All that a database holds, to compare moments of it: every row of every table, without the times
// at which rows were written.

#include "core/store/Fixture.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"

#include <QFile>

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline QByteArray bytesOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void write(const std::filesystem::path& path, const QByteArray& bytes) {
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(bytes);
}

inline Result<Database> openRaw(
    const std::filesystem::path& path, int flags = SQLITE_OPEN_READONLY) {
    return Database::open(StoreFile(path), flags);
}

inline void appendRow(const Row& row, int columns, std::string& out) {
    for (int i = 0; i < columns; ++i)
        out.append(row.text(i)).append(row.isNull(i) ? "~" : "|");
    out += '\n';
}

inline Result<std::string> contentsOf(Database& database) {
    // One by one, so that no table is skipped because an index served it.
    ASSIGN_OR_RETURN(const auto tables,
        database.rows(
            "SELECT name, (SELECT group_concat(name) FROM pragma_table_info(m.name) WHERE name NOT "
            "IN ('imported_ns', 'created_ns', 'changed_ns')), (SELECT count(*) FROM "
            "pragma_table_info(m.name)) FROM sqlite_master m WHERE type='table' ORDER BY name",
            [](const Row& row) { return std::pair(row.string(0), row.string(1)); }));
    std::string out;
    for (const auto& [name, columns] : tables) {
        out += name + ":\n";
        const int count = 1 + static_cast<int>(std::count(columns.begin(), columns.end(), ','));
        RETURN_IF_ERROR(database.forEach("SELECT " + columns + " FROM " + name + " NOT INDEXED",
            [&](const Row& row) { appendRow(row, count, out); }));
    }
    return out;
}

inline Result<std::string> contentsOf(
    const std::filesystem::path& path, int flags = SQLITE_OPEN_READONLY) {
    ASSIGN_OR_RETURN(auto database, openRaw(path, flags));
    return contentsOf(database);
}

// Runs SQL on the file as a program with SQLite of its own does; its code, and the number in the
// first row.
inline std::pair<int, int> asAnotherProgram(const std::filesystem::path& path, const char* sql) {
    sqlite3* handle = nullptr;
    int number = 0;
    sqlite3_open(path.c_str(), &handle);
    const int code = sqlite3_exec(
        handle, sql,
        [](void* to, int, char** row, char**) {
            *static_cast<int*>(to) = std::atoi(row[0]);
            return 0;
        },
        &number, nullptr);
    sqlite3_close(handle);
    return {code, number};
}

inline CheckReport checked(const std::filesystem::path& path) {
    return got(got(Store::open(path, OpenMode::ReadOnly)).check());
}

} // namespace trainscope::test
