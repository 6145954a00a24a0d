#include "importers/record/Recorder.h"

#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

namespace trainscope::record {
namespace {

// EarlierPart: what a database holds of a job that is recorded again: after a pre-emption, a
// restart, or a recorder that was killed.

// Fact in the report of a recording that names the process that writes.
inline constexpr const char* kRecorderFact = "recorder";

struct EarlierPart {
    std::string path; // the source's
    ImportReport report;
    TimeNs end; // its samples'
    bool isUnfinished = false;
};

constexpr const char* kResumedFact = "resumed";
constexpr DurationNs kSurelyQuiet{10'000'000'000}; // commits come every second
constexpr std::string_view kProcess = "process ";
constexpr std::string_view kOn = " on ";

std::string_view factOf(const ImportReport& report, const char* name) {
    const auto found = report.facts.find(name);
    return found == report.facts.end() ? std::string_view() : std::string_view(found->second);
}

bool isOf(const ImportReport& report, const JobDescription& job) {
    const std::string_view node = factOf(report, "node"); // "0 of 2"
    return factOf(report, "job") == job.job && factOf(report, "command") == job.command
        && node.substr(0, node.find(' ')) == std::to_string(job.node);
}

// Numbers of processes are given again.
bool isRecorder(int process) {
    std::ifstream file(fmt::format("/proc/{}/comm", process));
    std::string name;
    return file >> name && name.starts_with("trainscope");
}

// "process 123 on node3": of that host, and there.
bool isRunningHere(std::string_view words, const std::string& host) {
    const std::size_t on = words.find(kOn);
    if (!words.starts_with(kProcess) || on == std::string_view::npos
        || words.substr(on + kOn.size()) != host)
        return false;
    const auto process
        = wholeNumber<int>(words.substr(kProcess.size(), on - kProcess.size())).value_or(0);
    return process > 0 && process != ::getpid() && isRecorder(process);
}

// of this process
std::string recorderWords(const std::string& host) {
    return fmt::format("{}{}{}{}", kProcess, ::getpid(), kOn, host);
}

// Finds the earlier part of a run: a recording of that name, of the same job, node and command.
// Absent where there is none, where no launcher names the job, and where it ends later than now.
Result<std::optional<EarlierPart>> earlierPart(
    const store::Store& store, const std::string& run, const JobDescription& job) {
    const auto found = store.findRun(run);
    if (job.job.empty() || !found.hasValue() || found.value().range.end > wallClock())
        return std::optional<EarlierPart>();
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const store::Source& source : sources) {
        const bool isOfRun = std::find(source.runs.begin(), source.runs.end(), found.value().id)
            != source.runs.end();
        if (isOfRun && source.path.starts_with("record:") && isOf(source.report, job))
            return std::optional(EarlierPart{source.path, source.report, found.value().range.end,
                found.value().status == RunStatus::Partial});
    }
    return std::optional<EarlierPart>();
}

// Refused: it is still being written, as far as can be known: by a process of this host that is
// there, or by another host within the last seconds.
Status requireEnded(const EarlierPart& part, const JobDescription& job) {
    const std::string_view recorder = factOf(part.report, kRecorderFact);
    const bool isElsewhere
        = recorder.size() < job.host.size() || !recorder.ends_with(std::string(kOn) + job.host);
    const bool isFresh = isElsewhere && wallClock() - part.end < kSurelyQuiet;
    if (!part.isUnfinished || (!isFresh && !isRunningHere(recorder, job.host)))
        return {};
    return Error{ErrorCode::Refused,
        fmt::format("Job {} is being recorded into this run already, by {}. Record into another "
                    "file (%h and %n in its name), or under another --name{}.",
            job.job, recorder.empty() ? "another process" : recorder,
            isElsewhere ? ", or again in ten seconds if that one has died" : ""),
        {}};
}

// Takes counts and warnings of the part over into `report`, which says so.
void takeOver(ImportReport part, DurationNs hole, ImportReport& report) {
    const std::string words
        = fmt::format("{}, after a hole of {}", text::moment(wallClock()), text::duration(hole));
    const auto before = part.facts.find(kResumedFact);
    report.facts[kResumedFact] = before == part.facts.end() ? words : before->second + "; " + words;
    report.samples = part.samples;
    report.missing = part.missing;
    report.skipped = part.skipped;
    report.counts = std::move(part.counts);
    const std::vector<ImportWarning> again
        = std::exchange(report.warnings, std::move(part.warnings));
    report.warningCount = part.warningCount;
    for (const ImportWarning& warning : again) {
        const bool isKnown = std::any_of(report.warnings.begin(), report.warnings.end(),
            [&warning](const ImportWarning& old) { return old.text == warning.text; });
        if (!isKnown)
            report.warn(warning.file, warning.line, warning.text, warning.severity);
    }
}

constexpr const char* kVersion = "record 1";
constexpr std::int64_t kStampsOfInterval = 500;

// Parts of a second that delays are written in: a power of ten, as decimals are stored best.
double delaySteps(DurationNs interval) {
    constexpr double finest = 9.0;
    constexpr double coarsest = 5.0;
    constexpr double ofStamp = 10.0;
    const double wanted = ofStamp * static_cast<double>(kStampsOfInterval) / interval.seconds();
    return std::pow(10.0, std::clamp(std::ceil(std::log10(wanted) - 1e-9), coarsest, finest));
}

std::string pathIn(const Environment& environment, std::string_view name) {
    return valueAt(environment, name, std::string());
}

// Processor time that this program has taken, s.
double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string nameOf(const RecordRequest& request) {
    if (!request.runName.empty())
        return request.runName;
    if (!request.job.job.empty())
        return fmt::format(
            "{} {}", request.job.launcher.empty() ? "job" : request.job.launcher, request.job.job);
    return fmt::format("{} {}", request.job.host, text::moment(wallClock()));
}

// Metrics of the registry that a training script reports of itself.
constexpr std::array kOfScripts{metric::kLoss, metric::kGradNorm, metric::kLearningRate,
    metric::kStepTime, metric::kTokenRate, metric::kSampleRate, metric::kReportedFlops,
    metric::kReportedMfu, metric::kStepTokens, metric::kStepSamples};

std::string nameOf(const std::string& key) {
    if (key == "tokens")
        return metric::kStepTokens;
    return key == "samples" ? metric::kStepSamples : key;
}

Metric metricOf(const std::string& key) {
    const std::string name = nameOf(key);
    const KnownMetric* known = findMetric(name);
    if (known == nullptr)
        return {name, "1", metricKindOf(name, MetricKind::Gauge), name};
    if (std::find(kOfScripts.begin(), kOfScripts.end(), name) != kOfScripts.end())
        return *known;
    return {"marked_" + name, "1", MetricKind::Gauge, name + ", as marked"};
}

} // namespace

SeriesDescription MarkLanes::describe(const MarkedValue& value) const {
    SeriesDescription description;
    description.metric = metricOf(value.key);
    description.subject.kind = SubjectKind::Run;
    if (std::find(m_ranks.begin(), m_ranks.end(), value.rank) != m_ranks.end()) {
        description.subject.kind = SubjectKind::Gpu;
        description.subject.rank = value.rank;
        description.subject.node = m_node;
    }
    return description;
}

std::int64_t MarkLanes::write(store::Recording& recording) {
    std::int64_t written = 0;
    std::vector<MarkedValue> waiting = std::exchange(m_waiting, {});
    for (MarkedValue& value : waiting) {
        const std::pair key(value.key, value.rank);
        auto found = m_series.find(key);
        if (found == m_series.end() && m_series.size() >= kMostLanes) {
            ++m_leftOut;
            continue;
        }
        if (found == m_series.end()) {
            const auto series = recording.series(describe(value));
            if (!series.hasValue()) {
                m_waiting.push_back(std::move(value));
                continue;
            }
            found = m_series.emplace(key, series.value()).first;
        }
        recording.sample(found->second, value.time, value.value);
        ++written;
    }
    return written;
}

Devices openDevices(const Environment& environment) {
    Devices devices;
    const auto add = [&devices](Result<std::unique_ptr<GpuLibrary>> library) {
        if (library.hasValue())
            devices.libraries.push_back(std::move(library.value()));
        else
            devices.absent.push_back(library.error().message);
    };
    if (const std::string root = pathIn(environment, "TRAINSCOPE_SYSTEM_ROOT"); !root.empty())
        devices.systemRoot = root;
    add(openNvml(pathIn(environment, "TRAINSCOPE_NVML")));
    add(openAmdSmi(pathIn(environment, "TRAINSCOPE_AMDSMI"), devices.systemRoot));
    devices.host = openHostProbe(devices.systemRoot);
    return devices;
}

bool isMeant(const std::string& wanted, const GpuFacts& gpu) {
    const auto index = wholeNumber<int>(wanted);
    return index ? gpu.index == *index : gpu.uuid.starts_with(wanted);
}

Recorder::Recorder(Devices devices, const RecordRequest& request)
    : m_devices(std::move(devices))
    , m_request(request) {
    m_report.importer = kVersion;
}

Result<std::unique_ptr<Recorder>> Recorder::start(
    store::Store& store, Devices devices, const RecordRequest& request) {
    std::unique_ptr<Recorder> recorder(new Recorder(std::move(devices), request));
    RETURN_IF_ERROR(recorder->open(store));
    return recorder;
}

Status Recorder::open(store::Store& store) {
    chooseGpus();
    describeRun();
    RETURN_IF_ERROR(openRecording(store));
    RETURN_IF_ERROR(addGpus());
    RETURN_IF_ERROR(addSeries());
    RETURN_IF_ERROR(addTopology(store));
    m_lanes.emplace(m_request.job.node, m_report.ranksFound);
    std::error_code failure; // TMPDIR may name a folder that is not there
    const auto folder = std::filesystem::temp_directory_path(failure);
    auto marks = MarkPipe::create(failure ? "/tmp" : folder.string());
    if (marks.hasValue())
        m_marks.emplace(std::move(marks.value()));
    else
        m_report.warn({}, 0, marks.error().describe());
    RETURN_IF_ERROR(m_recording->commit(m_report));
    if (!m_request.waits)
        beginSampling();
    return {};
}

void Recorder::beginSampling() {
    std::vector<Probe*> probes = vectorOf(m_probes, [](const auto& probe) { return probe.get(); });
    // Drivers keep a sample every 20 ms or so; who wants few gets few.
    constexpr DurationNs fewSamples{200'000'000};
    const bool takesKept = m_request.interval <= fewSamples;
    for (std::uint32_t probe = 0; takesKept && probe < probes.size(); ++probe) {
        const auto& channels = probes[probe]->channels();
        const auto power = std::find_if(channels.begin(), channels.end(),
            [](const Channel& one) { return one.description.metric.name == metric::kGpuPower; });
        if (probes[probe]->keepsPower() && power != channels.end())
            m_power[probe].channel = static_cast<std::uint32_t>(power - channels.begin());
    }
    m_sampler = std::make_unique<Sampler>(std::move(probes), m_request.interval, !m_power.empty());
    m_begin = wallClock();
    if (m_request.tokensPerStep)
        m_lanes->add({"tokens", -1, m_begin, *m_request.tokensPerStep});
    m_processorBefore = processorSeconds();
    m_sampler->start();
}

// Behind the earlier part of this job on this node, where there is one; else of its own.
Status Recorder::openRecording(store::Store& store) {
    ASSIGN_OR_RETURN(auto earlier, earlierPart(store, m_run.name, m_request.job));
    if (earlier) {
        RETURN_IF_ERROR(requireEnded(*earlier, m_request.job));
        m_resumedAfter = wallClock() - earlier->end;
        m_rowsBefore = earlier->report.rows;
        takeOver(std::move(earlier->report), *m_resumedAfter, m_report);
        ASSIGN_OR_RETURN(m_recording, store::Recording::resume(store, earlier->path, m_run));
        return {};
    }
    const JobDescription& job = m_request.job;
    const std::string source = fmt::format("record:{}:{}:{}", job.host, job.node, wallClock().ns);
    if (store.findRun(m_run.name).hasValue()) // a run of something else
        m_run.name += " " + text::moment(wallClock());
    ASSIGN_OR_RETURN(
        m_recording, store::Recording::begin(store, {source, 0, {}, m_run.name}, m_run));
    return {};
}

// In the order in which they were asked for, as CUDA_VISIBLE_DEVICES orders them.
void Recorder::chooseGpus() {
    std::vector<ChosenGpu> all;
    for (const auto& library : m_devices.libraries) {
        for (const GpuFacts& gpu : library->gpus())
            all.push_back({library.get(), gpu});
    }
    if (m_request.gpus.empty()) {
        m_gpus = std::move(all);
        return;
    }
    for (const std::string& wanted : m_request.gpus) {
        const auto found = std::find_if(all.begin(), all.end(),
            [&wanted](const ChosenGpu& gpu) { return isMeant(wanted, gpu.facts); });
        if (found != all.end())
            m_gpus.push_back(*found);
        else
            m_report.lost({}, 0,
                fmt::format("There is no GPU {} on {}, which has {}: it is not recorded.", wanted,
                    m_request.job.host, all.size()));
    }
}

void Recorder::describeRun() {
    const JobDescription& job = m_request.job;
    m_run.name = nameOf(m_request);
    m_run.launch = m_request.launch;
    m_run.worldSize = job.nodes * static_cast<int>(m_gpus.size());
    if (!m_gpus.empty())
        m_run.gpuModel = m_gpus.front().facts.model;
    if (m_run.launch.origin.empty() && !(m_run.launch == LaunchConfig{}))
        m_run.launch.origin = "the recorded command";
    auto& facts = m_report.facts;
    facts["host"] = job.host;
    facts["job"] = job.job;
    facts["launcher"] = job.launcher;
    facts["node"] = fmt::format("{} of {}", job.node, job.nodes);
    facts[kRecorderFact] = recorderWords(job.host);
    facts["command"] = job.command;
    facts["interval"] = fmt::format("{:g} ms", static_cast<double>(m_request.interval.ns) * 1e-6);
    facts["clock"] = "UTC of " + job.host;
    for (const auto& [name, value] : job.environment)
        facts["environment " + name] = value;
    for (const auto& library : m_devices.libraries) {
        for (const auto& [name, value] : library->facts())
            facts[name] = value;
    }
    for (const ChosenGpu& gpu : m_gpus) {
        for (const auto& [name, value] : gpu.facts.facts)
            facts[fmt::format("GPU {} {}", gpu.facts.index, name)] = value;
    }
    std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
    for (const std::string& note : m_devices.host.notes)
        m_report.warn({}, 0, note);
    if (m_gpus.empty()) {
        for (const std::string& why : m_devices.absent)
            m_report.warn({}, 0, why);
    }
}

Status Recorder::addGpus() {
    const int node = m_request.job.node;
    const int count = static_cast<int>(m_gpus.size());
    for (int i = 0; i < count; ++i) {
        const GpuFacts& facts = m_gpus[static_cast<std::size_t>(i)].facts;
        const int rank = node * count + i;
        RETURN_IF_ERROR(m_recording->gpu({rank, node, facts.index, facts.model, facts.uuid}));
        m_report.ranksFound.push_back(rank);
        m_probes.push_back(m_gpus[static_cast<std::size_t>(i)].library->probe(facts));
    }
    m_report.ranksExpected = count;
    if (m_devices.host.probe)
        m_probes.push_back(std::move(m_devices.host.probe));
    return {};
}

Status Recorder::addSeries() {
    const int node = m_request.job.node;
    const int firstRank = node * static_cast<int>(m_gpus.size());
    for (std::size_t probe = 0; probe < m_probes.size(); ++probe) {
        m_series.emplace_back();
        for (const Channel& channel : m_probes[probe]->channels()) {
            SeriesDescription description = channel.description;
            description.subject.node = node;
            if (description.subject.rank >= 0)
                description.subject.rank = firstRank + static_cast<int>(probe);
            ASSIGN_OR_RETURN(const auto id, m_recording->series(description));
            m_series.back().push_back(id);
        }
    }
    SeriesDescription delay;
    delay.metric = *findMetric(metric::kSamplingDelay);
    delay.subject.kind = SubjectKind::Node;
    delay.subject.node = node;
    ASSIGN_OR_RETURN(m_delaySeries, m_recording->series(delay));
    return {};
}

// Only a node of several devices hangs together. Facts that people said of it stay.
Status Recorder::addTopology(store::Store& store) const {
    for (const auto& library : m_devices.libraries) {
        const auto gpus = library->topology();
        if (!gpus)
            continue;
        layout::MachineFacts facts;
        facts.topology = withNetworkCards(*gpus, m_devices.systemRoot);
        facts.topologyFrom = "the GPUs' management library and the kernel";
        if (facts.topology->devices().size() < 2)
            continue;
        ASSIGN_OR_RETURN(const auto run, store.findRun(m_run.name));
        ASSIGN_OR_RETURN(const auto said, store.machine(run.id));
        if (said)
            return {};
        return store::setMachine(store, run.id, layout::machineToJson(facts));
    }
    return {};
}

std::map<int, GpuFacts> Recorder::gpus() const {
    std::map<int, GpuFacts> all;
    int rank = m_request.job.node * static_cast<int>(m_gpus.size());
    for (const ChosenGpu& gpu : m_gpus)
        all[rank++] = gpu.facts;
    return all;
}

int Recorder::gpusOfNode() const {
    std::size_t count = 0;
    for (const auto& library : m_devices.libraries)
        count += library->gpus().size();
    return static_cast<int>(count);
}

void Recorder::takeMarks() {
    if (!m_marks)
        return;
    const bool hadPhase = m_marks->phase().has_value();
    Marks marks = m_marks->take(wallClock());
    for (const Iteration& iteration : marks.ended) {
        ++m_report.counts["iterations"];
        m_recording->iteration(iteration);
    }
    for (MarkedValue& value : marks.values)
        m_lanes->add(std::move(value));
    m_hasNewPhases
        = m_hasNewPhases || !marks.phases.empty() || (!hadPhase && m_marks->phase().has_value());
    std::move(marks.phases.begin(), marks.phases.end(), std::back_inserter(m_phases));
}

std::optional<MarkPipe> Recorder::giveMarks() {
    takeMarks();
    givePhases(true);
    return std::exchange(m_marks, std::nullopt);
}

void Recorder::setMarks(std::optional<MarkPipe> marks) {
    if (marks)
        m_marks = std::move(marks);
}

void Recorder::stop() {
    if (m_sampler)
        m_sampler->stop();
}

std::uint64_t Recorder::fileBytes() const {
    return m_recording->bytes().valueOr(0);
}

// With the one under way as far as it has come. All of them are written each time: of very many not
// with every commit.
void Recorder::givePhases(bool isLast) {
    constexpr int seldom = 10; // commits
    constexpr std::size_t many = 1000;
    const bool isOpen = m_marks && m_marks->phase();
    const bool isDue = ++m_commitsSincePhases >= seldom;
    const bool isNew = m_hasNewPhases && (m_phases.size() < many || isDue);
    if (!isNew && !(isOpen && isDue) && !(isLast && (isOpen || m_hasNewPhases)))
        return;
    std::vector<NamedPhase> phases = m_phases;
    if (isOpen)
        phases.push_back({m_marks->phase()->name, {m_marks->phase()->range.begin, wallClock()}});
    m_report.counts["phases"] = static_cast<std::int64_t>(phases.size());
    m_recording->phases(std::move(phases));
    m_hasNewPhases = false;
    m_commitsSincePhases = 0;
}

TimeNs Recorder::stamp(TimeNs time) const {
    const std::int64_t step = std::max<std::int64_t>(m_request.interval.ns / kStampsOfInterval, 1);
    return {(time.ns + step / 2) / step * step};
}

void Recorder::addRounds(const std::vector<Round>& rounds) {
    const double steps = delaySteps(m_request.interval);
    for (const Round& round : rounds) {
        m_recording->sample(
            m_delaySeries, stamp(round.time), std::round(round.delay * steps) / steps);
        m_delaySum += round.delay;
        m_longestDelay = std::max(m_longestDelay, round.delay);
    }
    m_rounds += static_cast<std::int64_t>(rounds.size());
}

void Recorder::addSample(std::uint32_t probe, std::uint32_t channel, KeptSample sample) {
    m_recording->sample(m_series[probe][channel], stamp(sample.time), sample.value);
    ++m_report.samples;
    m_report.missing += std::isnan(sample.value) ? 1 : 0;
}

void Recorder::take(bool isLast) {
    takeMarks();
    m_report.samples += m_lanes->write(*m_recording);
    givePhases(isLast);
    const Taken taken = m_sampler->take();
    for (const TakenReading& reading : taken.readings) {
        const auto power = m_power.find(reading.probe);
        if (power != m_power.end() && power->second.channel == reading.channel)
            power->second.choice.addAsked({reading.time, reading.value});
        else
            addSample(reading.probe, reading.channel, {reading.time, reading.value});
    }
    takePower(taken, isLast);
    tellCost();
    addRounds(taken.rounds);
    m_report.rows = m_rowsBefore + m_rounds;
    m_report.skipped += taken.skipped;
    for (const Incident& incident : taken.incidents)
        m_report.warn({}, 0, fmt::format("{} ({})", incident.text, text::moment(incident.time)));
    if (m_rounds > 0)
        m_report.facts["sampling delay"]
            = fmt::format("{} in the mean, {} at most, {} of {} rounds left out",
                text::seconds(m_delaySum / static_cast<double>(m_rounds)),
                text::seconds(m_longestDelay), m_report.skipped, m_rounds + m_report.skipped);
}

void Recorder::takePower(const Taken& taken, bool isLast) {
    for (const TakenPower& power : taken.power)
        m_power.at(power.probe).choice.addKept(power.sample);
    const TimeNs now = wallClock();
    for (auto& [probe, accounts] : m_power) {
        for (const KeptSample& sample : accounts.choice.take(now, isLast))
            addSample(probe, accounts.channel, sample);
        if (accounts.choice.hasLeftKept())
            m_sampler->leaveKeptPower(probe);
        m_report.facts[fmt::format("GPU {} power", m_gpus[probe].facts.index)]
            = accounts.choice.words();
    }
}

// Reports the cost of this program alone, its commits included.
void Recorder::tellCost() {
    const double seconds = (wallClock() - m_begin).seconds();
    if (seconds <= 0.0)
        return;
    m_report.facts["processor time"] = fmt::format(
        "{:.2g} % of a core", (processorSeconds() - m_processorBefore) / seconds * 100.0);
}

Status Recorder::commit() {
    take(false);
    return m_recording->commit(m_report);
}

Status Recorder::finish(const Progress& progress) {
    m_sampler->stop();
    take(true);
    if (m_marks && m_marks->notUnderstood() > 0)
        m_report.lost({}, 0,
            fmt::format("{} in the pipe for marks could not be understood; the first: \"{}\".",
                text::counted(m_marks->notUnderstood(), "line"), m_marks->firstNotUnderstood()));
    if (m_lanes->leftOut() > 0)
        m_report.lost({}, 0,
            fmt::format("{} marked under too many different names are left out.",
                text::counted(m_lanes->leftOut(), "value")));
    return m_recording->finish(m_report, progress);
}

} // namespace trainscope::record
