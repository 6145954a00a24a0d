#pragma once
// tar and zip files, read by libarchive from streams: the list of members, and the bytes of one.
// Nothing is written to disk.

#include "importers/common/Source.h"

namespace trainscope::importers {

enum class ArchiveKind { None, Tar, Zip };

inline constexpr std::size_t kTarHeader = 512;

// By its first kTarHeader bytes: a tar header has a sum that fits, a zip file a magic number.
ArchiveKind archiveKindOf(std::string_view head);

// Without compression; opened at that place.
using OpenAt = std::function<Result<std::unique_ptr<ByteStream>>(std::uint64_t offset)>;

struct ArchiveBytes {
    ArchiveKind kind = ArchiveKind::None;
    OpenAt open;
    std::uint64_t size = 0; // a zip's, in bytes
    std::string where; // names it in errors
};

struct ArchiveMember {
    std::string name; // as stored
    std::uint64_t size = 0;
    std::optional<std::uint64_t> place; // offset of its header; absent: a zip does not tell
    std::uint64_t number = 0; // the number of entries before it
    std::string problem; // the reason that it is no file to read; empty: it is
};

struct ArchiveList {
    std::vector<ArchiveMember> members; // files alone, in the order of the archive
    std::string problem; // the place of an early end; empty: none
};

// Is given each member that can be read, with its bytes, which it may leave, while it is called.
using MemberVisitor = std::function<void(const ArchiveMember&, std::unique_ptr<ByteStream>)>;

// Reads a tar once from front to end, of a zip its directory.
ArchiveList listArchive(const ArchiveBytes& bytes, const MemberVisitor& visit = {});

// A reader that was left standing behind a member, for those that follow it. Thread-safe.
class ParkedReader;
std::shared_ptr<ParkedReader> parkingPlace();

// A member is opened at its place. In a zip that does not tell that, and in a tar with a place
// for parking, the archive is read on from what is parked there, else from the front.
Result<std::unique_ptr<ByteStream>> openMember(const ArchiveBytes& bytes,
    const ArchiveMember& member, const std::shared_ptr<ParkedReader>& parking = nullptr);

} // namespace trainscope::importers
