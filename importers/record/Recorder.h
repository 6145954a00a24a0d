#pragma once
// Recorder: one node's part of a run while it happens. Samples the GPUs and the node, takes the
// marks of the training script, and commits all of it once a second.
//
// Clock: UTC of this node, each reading stamped when its device is asked, to 1/500 of the interval
// (0.1 ms at 50 ms): devices renew their readings every 20 ms at best, and finer stamps of all
// readings would take more room than the readings. Delays are written to a tenth of that. Units: as
// the devices count, with their scale. Ranks follow from the node's place in its job and from the
// order of its GPUs, as torchrun and Slurm number them.

#include "core/store/Recording.h"
#include "importers/record/GpuLibrary.h"
#include "importers/record/HostProbe.h"
#include "importers/record/JobDescription.h"
#include "importers/record/MarkPipe.h"
#include "importers/record/Sampler.h"

namespace trainscope::record {

// Devices to sample. Either list may be empty.
struct Devices {
    std::vector<std::unique_ptr<GpuLibrary>> libraries;
    std::vector<std::string> absent; // reasons that libraries are not there
    HostProbe host;
    std::string systemRoot = "/"; // has the kernel's sys and proc
};
// From where the system keeps the libraries, or from TRAINSCOPE_NVML and TRAINSCOPE_AMDSMI;
// TRAINSCOPE_SYSTEM_ROOT stands in for the kernel's files.
Devices openDevices(const Environment& environment);

struct RecordRequest {
    DurationNs interval{50'000'000};
    std::vector<std::string> gpus; // indices or UUIDs, in the order of the ranks; empty: all
    JobDescription job;
    std::string runName; // empty: after the job, else after command, host and time
    LaunchConfig launch;
    std::optional<double> tokensPerStep; // if the script marks none
    bool waits = false; // samples from beginSampling() on alone
};

// True where an index, or the begin of a UUID, means that GPU.
bool isMeant(const std::string& wanted, const GpuFacts& gpu);

// MarkLanes: the facts of steps that a training script marks, as series of the run: tokens and
// samples of a step, and every other name as a metric of that name. Samples of the run itself under
// such a name (a script that marks "mem_used") become "marked_mem_used".
class MarkLanes {
public:
    // node: of the recording; ranks: those on it, whose facts become theirs.
    MarkLanes(int node, std::vector<int> ranks)
        : m_node(node)
        , m_ranks(std::move(ranks)) { }

    void add(MarkedValue value) { m_waiting.push_back(std::move(value)); }
    // Returns the number of samples written; those that cannot be written yet wait.
    std::int64_t write(store::Recording& recording);
    // Facts whose names were too many.
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

private:
    static constexpr std::size_t kMostLanes = 256;

    [[nodiscard]] SeriesDescription describe(const MarkedValue& value) const;

    int m_node;
    std::vector<int> m_ranks;
    std::map<std::pair<std::string, int>, SeriesId> m_series;
    std::vector<MarkedValue> m_waiting;
    std::int64_t m_leftOut = 0;
};

class Recorder {
public:
    // Writes the run and its GPUs and begins to sample. A job that was recorded before into the
    // same database, by its id, node and command, goes on in its run. A GPU that is not there is
    // a warning. Refused: another recorder still writes that run.
    static Result<std::unique_ptr<Recorder>> start(
        store::Store& store, Devices devices, const RecordRequest& request);

    [[nodiscard]] const std::string& runName() const { return m_run.name; }
    // Time since the end of the part of this job that this one goes on with; absent: it is a new
    // run.
    [[nodiscard]] std::optional<DurationNs> resumedAfter() const { return m_resumedAfter; }
    [[nodiscard]] MarkPipe* marks() { return m_marks ? &*m_marks : nullptr; }
    [[nodiscard]] const ImportReport& report() const { return m_report; }
    [[nodiscard]] std::map<int, GpuFacts> gpus() const; // by rank
    [[nodiscard]] int gpusOfNode() const; // recorded or not

    void takeMarks(); // to be called as the pipe is readable
    // The pipe with what is under way in it, for the recorder that goes on with this one's work.
    std::optional<MarkPipe> giveMarks();
    void setMarks(std::optional<MarkPipe> marks);
    void beginSampling(); // if the request said that it waits
    void stop(); // no reading comes any more
    [[nodiscard]] std::uint64_t fileBytes() const; // 0: not known
    // Everything up to now. A failure keeps it for the next call.
    Status commit();
    Status finish(const Progress& progress);

private:
    Recorder(Devices devices, const RecordRequest& request);
    Status open(store::Store& store);
    Status openRecording(store::Store& store);
    void chooseGpus();
    Status addGpus();
    Status addSeries();
    Status addTopology(store::Store& store) const;
    void describeRun();
    [[nodiscard]] TimeNs stamp(TimeNs time) const;
    void addSample(std::uint32_t probe, std::uint32_t channel, KeptSample sample);
    void addRounds(const std::vector<Round>& rounds);
    void take(bool isLast);
    void takePower(const Taken& taken, bool isLast);
    void tellCost();
    void givePhases(bool isLast);

    Devices m_devices;
    RecordRequest m_request;
    Run m_run;
    struct ChosenGpu {
        GpuLibrary* library;
        GpuFacts facts;
    };
    std::vector<ChosenGpu> m_gpus; // in the order of the ranks
    std::vector<std::unique_ptr<Probe>> m_probes; // for these; then the host's
    std::vector<std::vector<SeriesId>> m_series; // by probe and channel
    SeriesId m_delaySeries;
    // Account of a GPU whose driver keeps samples of its power too, by probe.
    struct PowerAccounts {
        std::uint32_t channel = 0;
        PowerChoice choice;
    };
    std::map<std::uint32_t, PowerAccounts> m_power;
    std::optional<MarkPipe> m_marks;
    std::optional<MarkLanes> m_lanes;
    std::vector<NamedPhase> m_phases; // the ones that ended
    bool m_hasNewPhases = false; // since they were given
    int m_commitsSincePhases = 0;
    std::unique_ptr<store::Recording> m_recording;
    std::unique_ptr<Sampler> m_sampler;
    ImportReport m_report;
    TimeNs m_begin;
    double m_processorBefore = 0.0; // s of a processor, before it began
    double m_delaySum = 0.0; // s
    double m_longestDelay = 0.0;
    std::int64_t m_rounds = 0;
    std::int64_t m_rowsBefore = 0; // rounds of the part before
    std::optional<DurationNs> m_resumedAfter;
};

} // namespace trainscope::record
