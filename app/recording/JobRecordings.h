#pragma once
// Recordings that write more than one file.
//
// JobRecordings waits for jobs on the GPUs of this node, and records each into a file of its own:
// from its first process on a GPU, as soon as no more of its GPUs come, until none is left.
//
// RotatedRecording is one recording that goes on from file to file. Once a file is full its
// recorder stops, the next begins at once in the next file with the same pipe for marks, and the
// full file is brought to its end beside it: between two files lies a fraction of a second. Files
// that are older than what is kept go.

#include "app/recording/RecordedFiles.h"
#include "importers/record/JobDescription.h"
#include "importers/record/Recorder.h"

#include <future>

namespace trainscope::app {

struct RotationRequest {
    record::RecordRequest record;
    record::Environment environment;
    RecordedFiles files{""};
    RotationRule rule; // never: one file
    std::string jobInNames; // job in file names; empty: the job of the record
    std::string onlyFile; // then
    std::optional<DurationNs> keep;
    std::optional<std::int64_t> owner; // user who owns the files and alone may read them
    std::function<void(const std::string&)> warn;
    // A file is complete: the recorder, the file, and an error where its end could not be written.
    std::function<void(const record::Recorder&, const std::string&, const Status&)> ended;
};

class RotatedRecording {
public:
    static Result<std::unique_ptr<RotatedRecording>> start(RotationRequest request);
    RotatedRecording(const RotatedRecording&) = delete;
    RotatedRecording& operator=(const RotatedRecording&) = delete;
    ~RotatedRecording();

    [[nodiscard]] record::Recorder& recorder() const { return *m_part->recorder; }
    [[nodiscard]] const std::string& file() const { return m_part->file; }
    // Every second: what was sampled is written, and the file changed where it is full. A failing
    // disk is told once and again when it is over; the samples wait in memory meanwhile.
    void commit();
    // The last file's end.
    void finish();

private:
    struct Part {
        store::Store store;
        std::string file;
        TimeNs begin;
        std::unique_ptr<record::Recorder> recorder; // writes into `store`
    };
    explicit RotatedRecording(RotationRequest request)
        : m_request(std::move(request)) { }
    Result<std::unique_ptr<Part>> begin(TimeNs now);
    void rotate(TimeNs now);
    void takeEnding();
    void removeOld(TimeNs now);

    RotationRequest m_request;
    std::unique_ptr<Part> m_part;
    std::unique_ptr<Part> m_endingPart;
    std::future<Status> m_ending; // result of ending m_endingPart
    TimeNs m_nextRemoval;
    TimeNs m_nextTry; // to change the file, behind one that failed
    bool m_isGood = true; // the last commit
    bool m_toldLeft = false;
};

class JobRecordings {
public:
    struct Request {
        RotationRequest rotation; // its record: interval, and what else is the same of all jobs
        std::string pattern; // file names (RecordedFiles.h); without %j and %d they are numbered
        // A launch configuration, as a command states it.
        std::function<LaunchConfig(const std::vector<std::string>&)> launch;
        std::function<void(const std::string&)> tell;
    };
    // NotFound: no library tells of processes on this node.
    static Result<std::unique_ptr<JobRecordings>> start(Request request);

    void step(); // every second
    void finish(); // ends all recordings

private:
    struct Waiting {
        std::vector<int> gpus;
        int looks = 0; // looks in a row that found these GPUs
    };
    struct Recorded {
        std::unique_ptr<RotatedRecording> recording;
        record::GpuJob job;
        int missed = 0; // looks that found none of its processes
        bool toldMore = false;
    };
    explicit JobRecordings(Request request)
        : m_request(std::move(request)) { }
    [[nodiscard]] std::vector<record::GpuJob> jobs() const;
    void removeOld();
    void look();
    void meet(const record::GpuJob& job);
    void begin(const record::GpuJob& job);
    [[nodiscard]] RotationRequest rotationFor(const record::GpuJob& job) const;
    void end(const std::string& key);

    Request m_request;
    record::Devices m_devices; // asked for processes alone
    std::map<std::string, Waiting> m_waiting; // by key, as the next
    std::map<std::string, Recorded> m_recorded;
    int m_steps = 0;
};

} // namespace trainscope::app
