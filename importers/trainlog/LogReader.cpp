#include "importers/trainlog/LogReader.h"

#include "core/catalogue/GpuGuess.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/Number.h"
#include "importers/launch/Fields.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/trainlog/KeyTable.h"

namespace trainscope::importers::trainlog {
namespace {

constexpr std::size_t kLongestLine = 8192;

void append(std::string& text, std::string_view line) {
    if (text.size() + line.size() < LogSettings::kMostBytes) {
        text += line.substr(0, kLongestLine);
        text += '\n';
    }
}

// True for a command that starts other programs; a script's own text also has dashes.
bool isCommand(std::string_view line) {
    constexpr std::array<std::string_view, 4> kLaunchers{
        "torchrun ", "torch.distributed", "deepspeed.launcher", " cmd = "};
    if (line.find(" --") == std::string_view::npos)
        return false;
    return std::any_of(kLaunchers.begin(), kLaunchers.end(), [line](std::string_view launcher) {
        return line.find(launcher) != std::string_view::npos;
    });
}

constexpr std::int64_t kSettledSteps = 3; // behind which no settings are looked for
constexpr std::size_t kEnoughOfLibrary = 100; // lines of a library before any of the program's
constexpr std::size_t kMostBefore = 20'000; // lines of a log without iterations

constexpr std::size_t kMostNames = 4096;

// "saving checkpoint at iteration 100 to …", "validation loss at iteration 100 | …"
StepLine::Between betweenOf(std::string_view line) {
    const auto has = [line](std::string_view text) { return line.find(text) != line.npos; };
    if (has("validation loss at "))
        return StepLine::Between::Evaluation;
    const bool isSaved = has("checkpoint") && (has("aving ") || has("aved ")); // S and s
    return isSaved ? StepLine::Between::Checkpoint : StepLine::Between::Nothing;
}

bool isValidation(const StepLine& line) {
    return line.kind == StepLine::Kind::Pause
        || std::ranges::any_of(
            line.values, [](const LoggedValue& value) { return value.key.starts_with("val"); });
}

} // namespace

std::string gpuNamedIn(std::string_view text) {
    const auto names = catalogue::deviceNamesIn(text);
    if (names.size() != 1)
        return {};
    // A sentence may go on behind the name: "NVIDIA B200 with 178 GiB memory".
    std::string name = names.front();
    for (std::size_t blank = name.find(' '); blank != std::string::npos;
         blank = name.find(' ', blank + 1)) {
        const char next = blank + 1 < name.size() ? name[blank + 1] : 'a';
        if (next == lowerChar(next) && !isDigit(next)) {
            name.resize(blank);
            break;
        }
    }
    return name;
}

std::string LogSettings::gpuModel() const {
    return gpuNamedIn(m_devices);
}

void LogSettings::add(std::string_view line, const LineHead& head) {
    if (line.find("NVIDIA ") != std::string_view::npos
        || line.find("AMD Instinct ") != std::string_view::npos)
        append(m_devices, line);
    if (addYaml(head.rest))
        return;
    if (line.find(" ..") != std::string_view::npos
        || line.find("padded vocab") != std::string_view::npos)
        append(m_arguments, line);
    else if (isCommand(line))
        append(m_commands, head.rest);
}

// NeMo: "*** Experiment configuration ***", an empty line, the YAML.
bool LogSettings::addYaml(std::string_view line) {
    if (line.find("Experiment configuration *") != std::string_view::npos) {
        m_inYaml = m_yaml.empty();
        return true;
    }
    if (!m_inYaml)
        return false;
    const std::string_view text = trimmed(line);
    const bool isYaml = text.find(':') != std::string_view::npos || text.starts_with("- ");
    if (text.empty())
        return m_inYaml;
    m_inYaml = isYaml;
    if (isYaml)
        append(m_yaml, line);
    return isYaml;
}

launch::Settings LogSettings::read() const {
    launch::Settings settings = launch::readArguments(m_commands);
    if (!m_yaml.empty()) {
        auto yaml = launch::readYamlSettings(m_yaml, "log");
        if (yaml.hasValue())
            settings.merge(std::move(yaml).value());
    }
    for (auto& [key, value] : launch::readArguments(m_arguments))
        settings.insert_or_assign(key, value);
    return settings;
}

std::optional<double> numberIn(const launch::Settings& settings, std::string_view key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::nullopt : parseNumber(found->second);
}

LaunchConfig launchOf(const launch::Settings& settings, const std::string& origin) {
    LaunchConfig config = launch::readFields(launch::Fields(settings));
    if (const auto model = settings.find("model_name"); model != settings.end())
        config.model = model->second;
    if (config == LaunchConfig{})
        return config;
    if (!config.workload)
        config.workload = Workload::Training;
    config.origin = origin;
    return config;
}

std::optional<double> gpusOf(const LaunchConfig& launch, const launch::Settings& settings) {
    std::optional<double> gpus;
    const auto take = [&gpus](std::optional<double> number) {
        if (number && *number > gpus.value_or(0.0))
            gpus = number;
    };
    take(numberIn(settings, "world_size"));
    take(numberIn(settings, "global_num_gpus"));
    if (const int launched = launchedGpus(launch); launched > 0)
        take(launched);
    if (launch.dataParallel)
        take(static_cast<double>(*launch.dataParallel) * launch.tensorParallel.value_or(1)
            * launch.pipelineParallel.value_or(1) * launch.contextParallel.value_or(1));
    return gpus;
}

bool OtherRanks::isFirst(std::string_view rank) {
    for (const std::string_view word : {"default", "rank"}) {
        if (rank.starts_with(word)) {
            rank.remove_prefix(word.size());
            break;
        }
    }
    return !rank.empty() && std::ranges::all_of(rank, [](char c) { return c == '0'; });
}

void OtherRanks::add(std::string_view rank, const StepLine& line) {
    ++m_lines;
    if (m_ranks.size() < kMostNames && !m_ranks.contains(rank))
        m_ranks.emplace(rank);
    const bool isNews = line.kind == StepLine::Kind::Step && (!m_last || line.index > *m_last);
    if (!isNews || m_kept.size() >= kMostKept)
        return;
    m_kept.try_emplace(line.index, line, rank);
}

Status OtherRanks::visitKept(
    const KeptLine& kept, const std::function<Status(const StepLine&)>& visit) {
    ++m_used;
    return visit(kept.line());
}

Status OtherRanks::takeUntil(
    std::optional<std::int64_t> index, const std::function<Status(const StepLine&)>& visit) {
    if (index && index == m_last)
        return {};
    const bool isRestart = index && m_last && *index < *m_last;
    if (isRestart)
        m_kept.clear();
    // The stride of its iterations is not known before two of them.
    if (m_last && !isRestart && (m_stride || !index)) {
        for (const auto& [at, kept] : m_kept) {
            if (index && at >= *index)
                break;
            if ((at - *m_last) % m_stride.value_or(1) == 0)
                RETURN_IF_ERROR(visitKept(kept, visit));
        }
    }
    if (!index) {
        m_kept.clear();
        return {};
    }
    m_kept.erase(m_kept.begin(), m_kept.upper_bound(*index));
    if (m_last && *index > *m_last)
        m_stride = std::min(m_stride.value_or(*index - *m_last), *index - *m_last);
    m_last = index;
    return {};
}

std::string OtherRanks::text(std::string_view read) const {
    if (m_lines == 0)
        return {};
    std::string text = "read from "
        + (read.empty() ? std::string("lines without one") : "\"" + std::string(read) + "\"");
    if (left() > 0)
        text += "; " + text::counted(left(), "line") + " of "
            + text::counted(static_cast<std::int64_t>(m_ranks.size()), "other rank")
            + " left out, which tell of the same iterations";
    if (m_used > 0)
        text += "; " + text::counted(m_used, "iteration")
            + " that it does not tell of from the others";
    return text;
}

LogReader::LogReader(Visit visit)
    : m_visit(std::move(visit)) {
    for (const Dialect& dialect : dialects())
        m_candidates.push_back({&dialect, dialect.reader(), {}, {}});
}

Status LogReader::read(std::string_view line) {
    m_between = std::max(m_between, betweenOf(line));
    const bool isSettled = m_steps > kSettledSteps;
    if (isSettled && !mayBeOfStep(line))
        return {};
    const LineHead head = splitHead(line);
    if (!isSettled) {
        m_collected.add(line, head);
        for (Candidate& candidate : m_candidates)
            candidate.reader->readSetting(head, candidate.settings);
    }
    return m_dialect == nullptr ? tryAll(head) : readKnown(head);
}

// A step's line, or one that may carry a stamp.
bool LogReader::mayBeOfStep(std::string_view line) const {
    if (line.size() > 20 && (line[0] == '[' || isDigit(line[0]) || !m_rank.empty()))
        return true;
    return line.find(m_dialect->mark) != std::string_view::npos;
}

Status LogReader::tryAll(const LineHead& head) {
    for (Candidate& candidate : m_candidates) {
        m_step.clear();
        if (!candidate.reader->readStep(head, m_step))
            continue;
        if (!m_step.stamp)
            m_step.stamp = head.stamp;
        const std::string_view rank = m_step.rank.empty() ? head.rank : m_step.rank;
        const bool isLibrary = candidate.dialect->isOfLibrary;
        if (isLibrary || m_step.kind != StepLine::Kind::Step) {
            const bool isKept = candidate.dialect->tellsMore || isLibrary;
            if (isKept && candidate.before.size() < kMostBefore)
                candidate.before.emplace_back(m_step, rank);
            if (!isLibrary || candidate.before.size() < kEnoughOfLibrary)
                continue;
            keepOnly(candidate);
            return takeBefore();
        }
        m_rank = rank;
        keepOnly(candidate);
        const KeptLine first(m_step, rank);
        RETURN_IF_ERROR(takeBefore());
        m_rank = first.line().rank;
        m_step = first.line();
        return take();
    }
    if (head.stamp)
        m_nearby = head.stamp;
    return {};
}

Status LogReader::readKnown(const LineHead& head) {
    m_step.clear();
    if (!m_candidates.front().reader->readStep(head, m_step)) {
        if (head.stamp && head.rank == m_rank)
            m_nearby = head.stamp;
        return {};
    }
    if (!m_step.stamp)
        m_step.stamp = head.stamp;
    return takeOf(m_step.rank.empty() ? head.rank : m_step.rank);
}

// Another rank's lines are used for what this one does not tell. If the first rank begins to
// speak behind another, it is the one from there on.
Status LogReader::takeOf(std::string_view rank) {
    if (rank == m_rank)
        return take();
    if (OtherRanks::isFirst(rank) && !m_rank.empty() && !OtherRanks::isFirst(m_rank)) {
        m_rank = rank;
        return take();
    }
    takeTimes();
    m_others.add(rank, m_step);
    return {};
}

Status LogReader::takeOthers(std::optional<std::int64_t> before) {
    return m_others.takeUntil(before, [this](const StepLine& line) {
        ++m_steps;
        return m_visit({line, std::nullopt});
    });
}

Status LogReader::finish() {
    if (m_dialect == nullptr)
        return finishWithoutSteps();
    RETURN_IF_ERROR(takeHeld());
    return takeOthers(std::nullopt);
}

Status LogReader::takeHeld() {
    m_step.clear();
    if (!m_candidates.front().reader->finish(m_step))
        return {};
    return takeOf(m_step.rank.empty() ? m_rank : m_step.rank);
}

Status LogReader::finishWithoutSteps() {
    for (Candidate& candidate : m_candidates) {
        m_step.clear();
        if (!candidate.reader->finish(m_step))
            continue;
        m_rank = m_step.rank;
        keepOnly(candidate);
        return take();
    }
    const auto known = std::ranges::find_if(m_candidates, [](const Candidate& candidate) {
        return candidate.before.size() >= candidate.dialect->fewest;
    });
    if (known == m_candidates.end())
        return {};
    keepOnly(*known);
    return takeBefore();
}

void LogReader::keepOnly(Candidate& known) {
    m_dialect = known.dialect;
    Candidate only = std::move(known);
    m_candidates.clear();
    m_candidates.push_back(std::move(only));
}

Status LogReader::takeBefore() {
    const auto before = std::exchange(m_candidates.front().before, {});
    if (m_rank.empty() && !before.empty())
        m_rank = before.front().line().rank;
    for (const KeptLine& kept : before) {
        m_step = kept.line();
        RETURN_IF_ERROR(takeOf(m_step.rank));
    }
    return {};
}

// Durations stand among the other values.
void LogReader::takeTimes() {
    for (const LoggedValue& value : m_step.values) {
        const KnownKey* known = findKey(value.key);
        if (known == nullptr)
            continue;
        if (known->role == KeyRole::StepSeconds && !m_step.secondsEach)
            m_step.secondsEach = secondsIn(value.key, value.text);
        else if (const auto rate = measured(value.text); known->role == KeyRole::StepRate
                 && !m_step.secondsEach && rate && rate->number > 0.0)
            m_step.secondsEach = 1.0 / rate->number;
        else if (known->role == KeyRole::Elapsed && !m_step.elapsedS)
            m_step.elapsedS = secondsIn(value.key, value.text);
    }
}

Status LogReader::take() {
    takeTimes();
    if (m_step.kind == StepLine::Kind::Step)
        RETURN_IF_ERROR(takeOthers(m_step.index));
    if (m_step.kind == StepLine::Kind::Step)
        m_step.between = std::exchange(m_between, StepLine::Between::Nothing);
    else if (isValidation(m_step))
        m_between = StepLine::Between::Evaluation;
    const LoggedStep step{m_step, m_nearby};
    if (m_step.kind == StepLine::Kind::Step) {
        m_nearby.reset();
        ++m_steps;
    }
    return m_visit(step);
}

void LogReader::keepRun(std::string_view run) {
    for (const Candidate& candidate : m_candidates)
        candidate.reader->keepRun(run);
}

LeftOutRows LogReader::leftOut() const {
    return m_dialect == nullptr ? LeftOutRows{} : m_candidates.front().reader->leftOut();
}

const launch::Settings& LogReader::settings() {
    if (m_settings)
        return *m_settings;
    launch::Settings all = m_collected.read();
    // The framework's own words go before what stands in its command line.
    if (m_dialect != nullptr) {
        for (const auto& [key, value] : m_candidates.front().settings)
            all.insert_or_assign(key, value);
    }
    m_settings = std::move(all);
    return *m_settings;
}

} // namespace trainscope::importers::trainlog
