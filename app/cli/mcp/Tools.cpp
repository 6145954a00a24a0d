#include "app/cli/mcp/Tools.h"

#include "app/cli/commands/Command.h"
#include "app/manual/Manual.h"
#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"

#include <fstream>
#include <sstream>
#include <thread>

namespace trainscope::cli {

namespace {

constexpr double kRows = 20; // a table has, unless more are asked for
constexpr double kMostRows = kMostRowsAsked;
constexpr double kBytesOfRow = 1200; // kRows of them are about 6,000 tokens
constexpr std::size_t kMostWarnings = 4000; // bytes
constexpr std::uintmax_t kLargestPicture = std::uintmax_t{8} << 20;

// Keeps the first bytes, and sets the flag when it is full.
class FirstBytes final : public std::streambuf {
public:
    FirstBytes(std::size_t most, std::atomic<bool>* whenFull)
        : m_most(most)
        , m_whenFull(whenFull) { }
    [[nodiscard]] bool isFull() const { return text.size() == m_most; }
    std::string text;

protected:
    int_type overflow(int_type c) override {
        const char one = traits_type::to_char_type(c);
        xsputn(&one, 1);
        return traits_type::not_eof(c);
    }
    std::streamsize xsputn(const char* bytes, std::streamsize size) override {
        text.append(bytes, std::min(static_cast<std::size_t>(size), m_most - text.size()));
        if (isFull() && m_whenFull != nullptr)
            m_whenFull->store(true);
        return size;
    }

private:
    std::size_t m_most;
    std::atomic<bool>* m_whenFull;
};

// A folder for one picture, which goes with it; null: there is none.
struct RemovesFolder {
    void operator()(const std::string* path) const {
        std::error_code ignored; // others clean up among temporary files
        std::filesystem::remove_all(*path, ignored);
        delete path;
    }
};
using PictureFolder = std::unique_ptr<std::string, RemovesFolder>;
PictureFolder pictureFolder() {
    std::error_code problem;
    PictureFolder path(
        new std::string(std::filesystem::temp_directory_path(problem) / "trainscope-XXXXXX"));
    return ::mkdtemp(path->data()) != nullptr ? std::move(path) : nullptr;
}

ToolAnswer pictureAt(const std::string& path, const std::string& notes) {
    std::error_code problem;
    if (std::filesystem::file_size(path, problem) > kLargestPicture || problem)
        return {"The figure is too large. Next: a smaller width_mm, or fewer runs.", {}, true};
    std::ifstream file(path, std::ios::binary);
    return {notes, std::string(std::istreambuf_iterator<char>(file), {})};
}

std::string bareName(const Argument& argument) {
    return argument.name.substr(argument.name.find_first_not_of('-'));
}
// "micro_batch" of --micro-batch, "sql" of SQL.
std::string keyOf(const Argument& argument) {
    return lowered(replaced(bareName(argument), "-", "_"));
}

Json propertyOf(const Argument& argument) {
    Json json{{"type", argument.type}};
    if (argument.isOneOfThese)
        json["enum"] = argument.words;
    if (argument.isRepeated)
        json = {{"type", "array"}, {"items", std::move(json)}};
    json["description"] = argument.text;
    return json;
}

const char* nextStep(ExitStatus status) {
    switch (status) {
    case ExitStatus::Usage:
        return "Next: correct the arguments and call again; `runs` lists runs and captures, and an "
               "option --like-this is the argument like_this.";
    case ExitStatus::Unreadable:
        return "Next: look whether the path is right and the file whole (trainscope-cli check); a "
               "database is made with trainscope-cli import.";
    case ExitStatus::Refused:
        return "Next: this file cannot be asked; take another, or a program that is new enough.";
    default:
        return "Next: ask for less: one run, one rank, a shorter window.";
    }
}

} // namespace

// Names of options stand between blanks; `writing` are those that change the database, which
// `database` takes.
struct Tools::Row {
    const char* name;
    const char* command;
    const char* options;
    const char* writing = "";
    const char* database = "";
};

Tools::Tools(const Program& program, std::string database, bool mayWrite)
    : m_database(std::move(database))
    , m_mayWrite(mayWrite) {
    static constexpr Row kTools[] = {{"runs", "info", ""}, {"overview", "overview", "run"},
        {"findings", "findings", "run capture network-gbps"},
        {"kernels", "kernels", "run rank iteration steady from to capture above-limit by"},
        {"timeline", "summary", "run from to steady capture detail power-limit"},
        {"compare", "compare", "run capture whole-run normalise sort saved", "save"},
        {"replay", "replay", "run capture iteration ideal if", "save"},
        {"predict", "predict",
            "run model cluster layout micro-batch global-batch seq-len precision recompute offload "
            "workload generated stack network-gbit power-limit clock what-if search objective top "
            "memory-share cluster-power tokens",
            "into name", "--from="},
        {"sql", "query", "SQL"},
        {"figure", "figure",
            "kind run from to metric rank iteration capture path statistic theme width-mm"}};
    std::ostringstream nothing;
    Console console(nothing, nothing);
    CommandContext context{console, program};
    for (const Row& row : kTools) {
        const std::string offered
            = fmt::format(" {} {} ", row.options, mayWrite ? row.writing : "");
        const auto isLeftOut = [&](const Argument& one) {
            return offered.find(" " + bareName(one) + " ") == offered.npos;
        };
        for (AddCommand* const add : commandsIn(program)) {
            CLI::App app;
            (*add)(app, context);
            for (CommandText& command : commandsOf(app)) {
                if (command.name != row.command)
                    continue;
                std::ranges::move(command.positionals, std::back_inserter(command.options));
                std::erase_if(command.options, isLeftOut);
                m_tools.push_back({&row, add, std::move(command)});
            }
        }
    }
}

const Tools::Tool* Tools::find(std::string_view name) const {
    const auto found
        = std::ranges::find(m_tools, name, [](const Tool& one) { return one.row->name; });
    return found == m_tools.end() ? nullptr : &*found;
}

Json Tools::toolJson(const Tool& tool) const {
    Json properties = Json::object();
    Json required = Json::array();
    if (m_database.empty()) {
        properties["database"] = {{"type", "string"}, {"description", "Path of the run database"}};
        if (*tool.row->database == '\0')
            required.push_back("database");
    }
    for (const Argument& argument : tool.command.options) {
        properties[keyOf(argument)] = propertyOf(argument);
        if (argument.isRequired)
            required.push_back(keyOf(argument));
    }
    properties["rows"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", kMostRowsAsked},
        {"description", "Most rows of a table; 20 unless given"}};
    const std::string_view help = app::manual::helpOf(tool.command.name);
    return {{"name", tool.row->name}, {"title", tool.command.text},
        {"description", tool.command.text + ". " + std::string(help.substr(0, help.find("\n\n")))},
        {"inputSchema",
            {{"type", "object"}, {"properties", properties}, {"required", required},
                {"additionalProperties", false}}},
        {"annotations",
            {{"readOnlyHint", !m_mayWrite || *tool.row->writing == '\0'},
                {"openWorldHint", false}}}};
}

Json Tools::list() const {
    return listOf(m_tools, [this](const Tool& tool) { return toolJson(tool); });
}

Result<std::vector<std::string>> Tools::lineOf(
    const Tool& tool, const nlohmann::json& arguments) const {
    std::vector<std::string> line{tool.row->command};
    std::string database = m_database;
    std::string place; // beside the database
    for (const auto& [key, value] : arguments.items()) {
        if (value.empty() || key == "rows")
            continue;
        if (key == "database" && m_database.empty() && value.is_string()) {
            database = value.get<std::string>();
            continue;
        }
        const auto found = std::ranges::find(tool.command.options, key, keyOf);
        if (found == tool.command.options.end())
            return usageError(fmt::format("There is no argument \"{}\".", key));
        const bool isFlag = found->type == "boolean";
        const auto isFit = [&](const nlohmann::json& one) {
            return isFlag ? one.is_boolean() : one.is_string() || one.is_number();
        };
        const auto all
            = value.is_array() && found->isRepeated ? value : nlohmann::json::array({value});
        if (!std::ranges::all_of(all, isFit))
            return usageError(fmt::format(
                "\"{}\" is {}.", key, found->isRepeated ? "a list of texts" : "a " + found->type));
        for (const auto& one : all) {
            const std::string text = one.is_string() ? one.get<std::string>() : one.dump();
            if (!found->name.starts_with('-'))
                place = text;
            else if (isFlag ? one.get<bool>() : !text.empty())
                line.push_back(found->name + (isFlag ? "" : "=" + text));
        }
    }
    const bool isAsked = *tool.row->database == '\0';
    if (!isAsked && !arguments.contains("run"))
        return line;
    if (database.empty())
        return usageError("Say which run database, as \"database\".");
    if (isAsked)
        line.emplace_back("--"); // no options follow
    line.push_back(tool.row->database + database);
    if (!place.empty())
        line.push_back(place);
    return line;
}

ToolAnswer Tools::call(
    std::string_view name, const nlohmann::json& arguments, const Watch& watch) const {
    const Tool& tool = *find(name);
    const auto asked = arguments.find("rows");
    const double rows = asked != arguments.end() && asked->is_number()
        ? std::clamp(asked->get<double>(), 1.0, kMostRows)
        : kRows;
    auto line = lineOf(tool, arguments);
    if (!line.hasValue())
        return {line.error().message + " " + nextStep(ExitStatus::Usage), {}, true};
    const PictureFolder folder = name == "figure" ? pictureFolder() : nullptr;
    const std::string picture = folder ? *folder + "/figure.png" : "";
    if (name == "figure")
        line.value().insert(line.value().begin() + 1, "--out=" + picture);
    if (name == "figure" && !arguments.contains("width_mm"))
        line.value().insert(line.value().begin() + 1, "--width-mm=120"); // agents see no more

    FirstBytes said(kMostWarnings, nullptr);
    std::ostream err(&said);
    std::ostream out(nullptr);
    Console console(out, err);
    FirstBytes told(
        static_cast<std::size_t>(kBytesOfRow * std::max(rows, kRows)), &console.cancelFlag());
    out.rdbuf(&told);
    text::setCompact(out, static_cast<long>(rows));
    std::jthread watching([&](std::stop_token stop) {
        if (watch)
            watch(std::move(stop), console.cancelFlag());
    });
    const auto status = static_cast<ExitStatus>(
        runCommandLine({.name = "trainscope-cli", .alone = tool.add}, line.value(), console));
    watching.request_stop();
    watching.join();

    std::string notes;
    for (const std::string_view one : words(said.text, "\n")) {
        if (one.starts_with("warning: ") || (one.starts_with("error: ") && !told.isFull()))
            notes += std::string(one) + '\n';
    }
    if (told.isFull())
        return {
            fmt::format("{}\n... cut at {} bytes: ask for a part of it, or for more `rows`.\n{}",
                harmless(told.text), told.text.size(), notes)};
    if (console.isCancelled())
        return {std::string("It took too long and was ended. ") + nextStep(ExitStatus::Partly), {},
            true};
    if (status != ExitStatus::Done && status != ExitStatus::Partly)
        return {(notes.empty() ? said.text : notes) + nextStep(status), {}, true};
    return folder ? pictureAt(picture, notes) : ToolAnswer{harmless(told.text) + notes};
}

} // namespace trainscope::cli
