#pragma once
// JobRecordings: waits for jobs on the GPUs of this node, and records each into a file of its own:
// from its first process on a GPU, as soon as no more of its GPUs come, until none is left.

#include "app/recording/RotatedRecording.h"
#include "core/model/LaunchConfig.h"
#include "importers/record/GpuJobs.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::app {

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
