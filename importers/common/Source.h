#pragma once
// Sources of bytes: a tree of named files, on disk or in a test's memory. Paths are relative to the
// tree's root and use '/'. Several threads may open files of one tree; reading is sequential, and
// one ByteStream is used by one thread at a time.

#include "core/model/Import.h"

#include <memory>

namespace trainscope::importers {

class ByteStream {
public:
    ByteStream() = default;
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    // Fills `buffer` from the front; 0 bytes means the end.
    virtual Result<std::size_t> read(std::span<std::byte> buffer) = 0;
    // Passes over that many bytes, or as many as there are, without reading them where it can.
    // Returns how many.
    virtual Result<std::uint64_t> skip(std::uint64_t count);
    // Bytes taken so far from the file itself (compressed bytes of a gz), for progress.
    [[nodiscard]] virtual std::uint64_t bytesConsumed() const = 0;
};

struct SourceFile {
    std::string path;
    std::uint64_t size = 0;
    std::string problem; // the reason that it cannot be listed or opened (permission); empty: fine
};

// Is told how much was made of a file so far; false: with what else was made of the archive that
// the file lies in, that is more than any recording expands to.
using Allowance = std::function<bool(std::uint64_t made)>;

class SourceTree {
public:
    SourceTree() = default;
    SourceTree(const SourceTree&) = delete;
    SourceTree& operator=(const SourceTree&) = delete;
    virtual ~SourceTree() = default;

    // All files below the root, sorted by path; unreadable folders are listed with their problem.
    [[nodiscard]] virtual const std::vector<SourceFile>& files() const = 0;
    // Bytes on disk; 0 for a path that is not listed.
    [[nodiscard]] std::uint64_t sizeOf(std::string_view path) const;
    // The raw bytes of a file.
    [[nodiscard]] virtual Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const = 0;
    // Path to show and store: absolute on disk.
    [[nodiscard]] virtual std::string displayPath(const std::string& path) const = 0;
    // Place of the file's own bytes on disk, for readers that need another order than a stream's;
    // empty: nowhere.
    [[nodiscard]] virtual std::string localPath(const std::string& /*path*/) const { return {}; }
    // Empty for a file that lies in no archive.
    [[nodiscard]] virtual Allowance allowanceOf(const std::string& /*path*/) const { return {}; }

    // Bytes with gzip or zstd taken off by their magic numbers, whatever the name says.
    // Multi-member gz is read to its end; trailing garbage behind a complete member ends the stream
    // quietly; a truncated stream delivers what it has and then fails with Unreadable. Long ones
    // are decompressed ahead, by a thread of their own.
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(const std::string& path) const;
};

// A folder, or a single file (then files() has that one). Archives are folders, see ArchiveTree.h;
// to list large ones takes a while, which `progress` sees and can end.
Result<std::unique_ptr<SourceTree>> openDiskTree(
    const std::string& path, const Progress& progress = {});

// Stream of bytes that outlive it.
std::unique_ptr<ByteStream> memoryStream(std::string_view content);
// For tests: (path, content) pairs.
std::unique_ptr<SourceTree> memoryTree(std::vector<std::pair<std::string, std::string>> files);

// The first `limit` decompressed bytes.
Result<std::string> readHead(const SourceTree& tree, const std::string& path, std::size_t limit);
// The last `limit` bytes of a file that is longer and not compressed; nothing of another.
std::string readTail(const SourceTree& tree, const std::string& path, std::size_t limit);
// As readTail(), what begins so many bytes before the end.
std::string readBeforeEnd(
    const SourceTree& tree, const std::string& path, std::uint64_t beforeEnd, std::size_t limit);
// Reads on until `text` has `limit` bytes or the stream ends; fails only where it delivers nothing.
Status readUpTo(ByteStream& stream, std::size_t limit, std::string& text);

} // namespace trainscope::importers
