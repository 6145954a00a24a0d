#include "app/cli/commands/Command.h"
#include "app/cli/text/TextFile.h"
#include "app/drawing/FullProgram.h"
#include "web/data/PageData.h"

#include <zlib.h>

#include <QByteArray>
#include <QUuid>

#include <fstream>
#include <sstream>

namespace trainscope::cli {

namespace {

struct PageOptions : SomeRunsOptions {
    std::string out;
    double megabytes = 0.0; // 0: as large as it gets
};

// The page's program, built beside this one.
Result<std::string> pageProgram() {
    std::error_code ignored;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto path = own.parent_path() / "../share/trainscope/page.html";
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return Error{ErrorCode::NotFound,
            "The program of pages is not installed beside this one; it comes with the package, "
            "and with the target trainscope_page of a build.",
            path.lexically_normal().string()};
    return text.str();
}

std::string deflated(store::ByteView bytes) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = const_cast<Bytef*>(bytes.data()); // zlib changes none of it
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

// Markup in names is harmless: all that comes from the database is base64.
std::string element(const std::string& id, store::ByteView bytes) {
    const std::string packed = deflated(bytes);
    return "<script type=\"application/octet-stream\" id=\"d-" + id + "\">"
        + QByteArray::fromRawData(packed.data(), static_cast<qsizetype>(packed.size()))
              .toBase64()
              .toStdString()
        + "</script>\n";
}

std::string element(const std::string& id, const std::string& text) {
    return element(id, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// The answer of a command of this program: the page has the same numbers. Empty without one.
std::string answerOf(std::vector<std::string> arguments) {
    std::ostringstream out;
    std::ostringstream err;
    Console console(out, err);
    arguments.emplace_back("--json");
    const int status = runCommandLine(fullProgram(), arguments, console);
    return status <= static_cast<int>(ExitStatus::Partly) ? out.str() : "";
}

std::string answers(const PageOptions& options, const std::vector<Run>& runs) {
    std::string elements;
    std::vector<std::string> summary{"summary", options.database};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string& name = runs[i].name;
        summary.insert(summary.end(), {"--run", name});
        for (const char* command : {"overview", "kernels"})
            elements += element(fmt::format("{}-{}", command, i),
                answerOf({command, options.database, "--run", name}));
    }
    elements += element("summary", answerOf(summary));
    if (runs.size() > 1)
        elements += element("compare",
            answerOf({"compare", options.database, "--run", runs[0].name, "--run", runs[1].name}));
    return elements;
}

std::string pageOf(std::string program, const web::PageData& data, const std::string& answered) {
    std::string elements = answered + element("tables", data.tables)
        + element("left", fmt::format("{}", fmt::join(data.leftOut, "\n")));
    for (std::size_t i = 0; i < data.blocks.size(); ++i)
        elements += element("b" + std::to_string(i), data.blocks[i]);
    constexpr std::string_view place = "<!--DATA-->";
    constexpr std::string_view nonce = "@NONCE@"; // no base64
    const std::string own = QUuid::createUuid().toString(QUuid::Id128).toStdString();
    for (auto at = program.find(nonce); at != std::string::npos; at = program.find(nonce))
        program.replace(at, nonce.size(), own);
    program.replace(program.find(place), place.size(), elements);
    return program;
}

Outcome writePage(const PageOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(const auto program, pageProgram());
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    ASSIGN_OR_RETURN(const auto runs, selectRuns(store, options.runs));
    constexpr std::size_t mostRuns = 31;
    if (runs.empty() || runs.size() > mostRuns)
        return usageError("A page shows between one run and 31; name them with --run.");
    const analysis::RunStudies studies(store, untilCancelled(console));
    const std::string answered = answers(options, runs);
    const double most = options.megabytes * 1e6;
    web::PageDetail detail;
    std::string text;
    web::PageData data;
    do {
        ASSIGN_OR_RETURN(data, web::pageData(studies, runs, detail));
        text = pageOf(program, data, answered);
    } while (most > 0.0 && static_cast<double>(text.size()) > most && web::makeCoarser(detail));
    if (most > 0.0 && static_cast<double>(text.size()) > most)
        return usageError(fmt::format(
            "The page cannot be as small as {:g} MB: without details it has {:.1f} MB. Take fewer "
            "runs.",
            options.megabytes, static_cast<double>(text.size()) / 1e6));
    ASSIGN_OR_RETURN(auto file, TextFile::create(options.out));
    file.write(text);
    RETURN_IF_ERROR(file.close());
    console.out() << fmt::format(
        "{}: {:.1f} MB\n", options.out, static_cast<double>(text.size()) / 1e6);
    for (const std::string& left : data.leftOut)
        console.out() << "left out: " << left << '\n';
    return ExitStatus::Done;
}

} // namespace

void addPageCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<PageOptions>(app, "page",
        "Writes a page that zooms in any browser: one file, without network access",
        {"export#page"});
    addRuns(*command, *options, "Run to show; may be repeated (default: all)");
    command->add_option("--out", options->out, "The page, F.html")->required();
    command->add_option(
        "--size", options->megabytes, "At most so many MB; the page says what was left out");
    runs(*command, context, options, writePage);
}

} // namespace trainscope::cli
