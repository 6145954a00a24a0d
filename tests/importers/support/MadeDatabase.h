#pragma once
// SQLite databases made in memory, as the bytes of their file.

#include <sqlite3.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace trainscope::test {

using MadeValue = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

class MadeDatabase {
public:
    MadeDatabase() { sqlite3_open(":memory:", &m_handle); }
    MadeDatabase(const MadeDatabase&) = delete;
    MadeDatabase& operator=(const MadeDatabase&) = delete;
    ~MadeDatabase() { sqlite3_close_v2(m_handle); }

    // Empty, or what was wrong with it.
    std::string run(const std::string& sql) {
        char* problem = nullptr;
        sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, &problem);
        std::string text = problem == nullptr ? "" : problem;
        sqlite3_free(problem);
        return text;
    }
    // One row; the table's columns in their order.
    void add(const std::string& table, std::initializer_list<MadeValue> values) {
        std::string sql = "INSERT INTO \"" + table + "\" VALUES (";
        for (std::size_t i = 0; i < values.size(); ++i)
            sql += i == 0 ? "?" : ",?";
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(m_handle, (sql + ")").c_str(), -1, &statement, nullptr);
        int index = 0;
        for (const MadeValue& value : values)
            bind(statement, ++index, value);
        sqlite3_step(statement);
        sqlite3_finalize(statement);
    }
    [[nodiscard]] std::string bytes() const {
        sqlite3_int64 size = 0;
        unsigned char* copy = sqlite3_serialize(m_handle, "main", &size, 0);
        std::string result(reinterpret_cast<const char*>(copy), static_cast<std::size_t>(size));
        sqlite3_free(copy);
        return result;
    }

private:
    static void bind(sqlite3_stmt* statement, int index, const MadeValue& value) {
        if (const auto* whole = std::get_if<std::int64_t>(&value))
            sqlite3_bind_int64(statement, index, *whole);
        else if (const auto* real = std::get_if<double>(&value))
            sqlite3_bind_double(statement, index, *real);
        else if (const auto* text = std::get_if<std::string>(&value))
            sqlite3_bind_text(
                statement, index, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
        else
            sqlite3_bind_null(statement, index);
    }

    sqlite3* m_handle = nullptr;
};

} // namespace trainscope::test
