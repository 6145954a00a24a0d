#pragma once
// RecordedFiles: the files that recordings of one kind are written into, one after the other: their
// names, when one is full, and which are old enough to go.
//
// In a pattern %h, %n and %j stand for host, node and job, %d for UTC as 20261127-201530. Without
// %d files are numbered: run.trainscope gives run-0001.trainscope, run-0002.trainscope, …

#include "importers/record/JobDescription.h"

namespace trainscope::app {

// A file is full at an age or a size. 0: never by that.
struct RotationRule {
    DurationNs age{0};
    std::uint64_t bytes = 0;

    // "24h", "7d", "90s"; "500MB", "2GB", at least a second and 2 MB. Usage: neither.
    static Result<RotationRule> parse(std::string_view text);
    [[nodiscard]] bool isNever() const { return age.ns == 0 && bytes == 0; }
    // For a file that was begun then and has so many bytes. A sixteenth is left for what the end of
    // a recording adds.
    [[nodiscard]] bool isFull(TimeNs begin, TimeNs now, std::uint64_t size) const;
};

// "7d", "24h", "90m", "30s". Usage: no such time, of a second at least; `option` is named.
Result<DurationNs> parseAge(std::string_view text, const std::string& option);

// The pattern with host, node and job in their places. Nodes of one job never share a file: without
// %h or %n their names get the host's.
std::string recordedPath(std::string pattern, const record::JobDescription& job);

// Makes the file of a job's recording, which that user alone may read; one that is there has to be
// theirs already. Refused: another's, a link, or no file. If this program may not give files
// away they stay its own.
Status makeFileFor(std::int64_t user, const std::string& path);
// Root would write what others choose where they can put links. Refused: the folder or one above it
// is not root's, or others can write to it (above it: but beside what is theirs).
Status requireFolderOfRoot(const std::string& file);

class RecordedFiles {
public:
    explicit RecordedFiles(std::string pattern)
        : m_pattern(std::move(pattern)) { }

    // The next one, which is not there yet.
    [[nodiscard]] std::string next(const record::JobDescription& job, TimeNs now) const;

    struct Removed {
        std::vector<std::string> files;
        std::vector<std::string> left; // old, but with more in them than recordings
    };
    // Removes those that were written last before `now` - `keep` and hold recordings alone, of
    // whatever job and node, of this host where its name is a part of theirs; but not `current`,
    // and none that a program of this machine has open, as far as the file system tells.
    [[nodiscard]] Removed removeOlder(DurationNs keep, const record::JobDescription& job,
        TimeNs now, const std::string& current) const;

private:
    std::string m_pattern;
};

} // namespace trainscope::app
