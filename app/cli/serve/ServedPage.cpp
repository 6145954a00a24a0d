#include "app/cli/serve/ServedPage.h"

#include "app/cli/commands/Command.h"
#include "app/cli/page/PageFile.h"
#include "app/cli/page/PagePack.h"
#include "app/cli/text/Json.h"
#include "core/store/Connection.h"
#include "web/data/PageData.h"

namespace trainscope::cli {

namespace {

constexpr std::size_t kMostOfParts = std::size_t{4} << 20U; // bytes; the last may reach beyond

std::vector<std::string> valuesOf(const HttpRequest& request, std::string_view key) {
    std::vector<std::string> values;
    for (const auto& [name, value] : request.query) {
        if (name == key)
            values.push_back(value);
    }
    return values;
}

std::string textOf(const store::Bytes& bytes) {
    return {bytes.begin(), bytes.end()};
}

// Another one behind each change of the database, and of another database.
Result<std::string> stampOf(const store::Store& store) {
    ASSIGN_OR_RETURN(const auto version, store.connection().call([](store::Database& database) {
        return database.number("PRAGMA data_version");
    }));
    return fmt::format("{} {}", store.uuid(), version);
}

Result<std::string> listOfRuns(const store::Store& store) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    return jsonText(
        object({{"runs", listOf(runs, [](const Run& run) {
                     return object({{"name", run.name}, {"kind", run.kind}, {"status", run.status},
                         {"gpu_count", run.gpuCount}, {"start_ns", run.range.begin},
                         {"duration_s", run.range.length()}});
                 })}}));
}

Result<std::vector<Run>> runsOf(const store::Store& store, const HttpRequest& request) {
    ASSIGN_OR_RETURN(auto runs, selectRuns(store, valuesOf(request, "run")));
    if (runs.empty() || runs.size() > kMostRunsOfPage)
        return usageError(fmt::format("A page shows between one run and {}; name them in its "
                                      "address, as in ?run=NAME&run=NAME.",
            kMostRunsOfPage));
    return runs;
}

// Not in bursts: who waits for the next request must not keep a recorder waiting.
Result<store::Store> openForLong(const std::string& path) {
    ASSIGN_OR_RETURN(const auto tried, openDatabase(path));
    return store::Store::open(path, store::OpenMode::ReadOnly);
}

} // namespace

ServedPage::ServedPage(std::string program, std::string database, Progress progress)
    : m_program(std::move(program))
    , m_database(std::move(database))
    , m_progress(std::move(progress)) {
    constexpr std::string_view nothing = "default-src 'none';"; // a file asks no server
    m_program.replace(
        m_program.find(nothing), nothing.size(), std::string(nothing) + " connect-src 'self';");
}

bool ServedPage::isSlow(const HttpRequest& request) {
    constexpr std::array<std::string_view, 7> quick{
        "", "changed", "figures", "left", "parts", "runs", "tables"};
    return std::ranges::find(quick, request.name) == quick.end();
}

HttpAnswer ServedPage::answer(const HttpRequest& request) {
    if (request.name.empty())
        return {200, filledPage(m_program, {}), "text/html; charset=utf-8",
            "base-uri 'none'; frame-ancestors 'none'"};
    const auto made = store::fenced(
        m_database, [&] { return isSlow(request) ? slow(request) : quick(request); });
    if (!made.hasValue())
        return {500, made.error().describe(), "text/plain; charset=utf-8"};
    const std::string& text = made.value();
    return {200,
        deflated({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, Effort::Least)};
}

Result<std::string> ServedPage::quick(const HttpRequest& request) {
    const auto read = [&]() -> Result<std::string> {
        if (!m_store) {
            ASSIGN_OR_RETURN(m_store, openForLong(m_database));
        }
        if (request.name == "changed")
            return stampOf(*m_store);
        if (request.name == "parts")
            return parts(request);
        if (request.name == "runs")
            return listOfRuns(*m_store);
        if (request.name == "left" || request.name == "figures")
            return std::string(); // nothing is left out, and none was drawn before
        ASSIGN_OR_RETURN(const auto runs, runsOf(*m_store, request));
        ASSIGN_OR_RETURN(
            const auto tables, web::servedTables(analysis::RunStudies(*m_store), runs));
        return textOf(tables);
    };
    auto made = read();
    if (!made.hasValue())
        m_store.reset(); // another file may be there by the next request
    return made;
}

Result<std::string> ServedPage::slow(const HttpRequest& request) {
    const auto read = [&]() -> Result<std::string> {
        if (!m_study) {
            ASSIGN_OR_RETURN(auto store, openForLong(m_database));
            m_study = std::make_unique<Study>(Study{std::move(store), {}});
        }
        return answerFrom(*m_study, request);
    };
    auto made = read();
    if (!made.hasValue())
        m_study.reset();
    return made;
}

Result<std::string> ServedPage::answerFrom(Study& study, const HttpRequest& request) {
    ASSIGN_OR_RETURN(std::string of, stampOf(study.store));
    ASSIGN_OR_RETURN(auto runs, runsOf(study.store, request));
    for (const Run& run : runs)
        of += fmt::format(" {}", run.id.value);
    if (study.of != of) {
        study.studies.emplace(study.store, m_progress);
        study.answers.emplace(*study.studies, std::move(runs));
        study.of = std::move(of);
    }
    if (request.name != "facts")
        return study.answers->answer(request.name);
    ASSIGN_OR_RETURN(const auto facts, web::servedOverlays(*study.studies, study.answers->runs()));
    return textOf(facts);
}

Result<std::string> ServedPage::parts(const HttpRequest& request) const {
    std::string framed;
    for (const std::string& all : valuesOf(request, "p")) {
        std::string_view rest = all;
        while (!rest.empty() && framed.size() < kMostOfParts) {
            const std::string_view name = rest.substr(0, rest.find(','));
            ASSIGN_OR_RETURN(const auto part, web::servedPart(*m_store, name));
            for (unsigned shift = 0; shift < 32; shift += 8)
                framed += static_cast<char>(part.size() >> shift & 0xFFU);
            framed += textOf(part);
            rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        }
    }
    return framed;
}

} // namespace trainscope::cli
