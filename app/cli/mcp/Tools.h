#pragma once
// Tools of the Model Context Protocol. Each is a command of the command line with some of its
// options: the schema is made of what CLI11 knows of them, the description of its help, and the
// answer is what the command prints, with tables for a program (core/text/Table.h).

#include "app/cli/CommandLine.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/text/Json.h"

#include <functional>
#include <stop_token>

namespace trainscope::cli {

struct ToolAnswer {
    std::string text;
    std::string png = {}; // the bytes of a picture; empty: none
    bool isError = false;
};

// Runs beside a command until it is stopped, and sets the flag to end the command early.
using Watch = std::function<void(std::stop_token, std::atomic<bool>& cancelled)>;

class Tools {
public:
    // Those whose commands the program has. Without a database every call names one; only who may
    // write is offered what a command keeps in it.
    Tools(const Program& program, std::string database, bool mayWrite);

    [[nodiscard]] Json list() const; // as tools/list has them
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    // Errors are told in the answer, with what to do next. At most some 6,000 tokens of text unless
    // more rows are asked for.
    [[nodiscard]] ToolAnswer call(
        std::string_view name, const nlohmann::json& arguments, const Watch& watch) const;

private:
    struct Row;
    struct Tool {
        const Row* row = nullptr;
        AddCommand* add = nullptr;
        CommandText command = {}; // with the options that are offered
    };

    [[nodiscard]] const Tool* find(std::string_view name) const;
    [[nodiscard]] Json toolJson(const Tool& tool) const;
    [[nodiscard]] Result<std::vector<std::string>> lineOf(
        const Tool& tool, const nlohmann::json& arguments) const;

    std::string m_database;
    bool m_mayWrite;
    std::vector<Tool> m_tools;
};

} // namespace trainscope::cli
