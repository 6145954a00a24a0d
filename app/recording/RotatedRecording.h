#pragma once
// RotatedRecording: one recording that goes on from file to file. Once a file is full its recorder
// stops, the next begins at once in the next file with the same pipe for marks, and the full file
// is brought to its end beside it: between two files lies a fraction of a second. Files that are
// older than what is kept go.

#include "app/recording/RecordedFiles.h"
#include "core/store/Store.h"
#include "importers/record/Recorder.h"

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

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

} // namespace trainscope::app
