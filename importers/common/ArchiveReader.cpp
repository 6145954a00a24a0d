#include "importers/common/ArchiveReader.h"

#include "core/model/Try.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstring>
#include <mutex>

namespace trainscope::importers {

namespace {

constexpr std::size_t kArchiveBlock = std::size_t{128} << 10;
constexpr std::size_t kMostMembers = 1'000'000;
constexpr std::size_t kMostDirectory = std::size_t{32} << 20; // a zip's, in bytes

struct FreeArchive {
    void operator()(archive* reader) const { archive_read_free(reader); }
};

// Input that libarchive reads, by its callbacks.
class ArchiveInput {
public:
    explicit ArchiveInput(const ArchiveBytes& bytes)
        : m_bytes(bytes)
        , m_memory(std::make_unique_for_overwrite<std::byte[]>(kArchiveBlock))
        , m_block(m_memory.get(), kArchiveBlock) { }

    Status moveTo(std::uint64_t place) {
        if (m_stream && place == m_position)
            return {};
        ASSIGN_OR_RETURN(m_stream, m_bytes.open(place));
        m_position = place;
        return {};
    }

    static la_ssize_t read(archive* reader, void* self, const void** block) {
        return static_cast<ArchiveInput*>(self)->readBlock(reader, block);
    }
    static la_int64_t skip(archive* /*reader*/, void* self, la_int64_t count) {
        auto& input = *static_cast<ArchiveInput*>(self);
        const auto passed
            = input.m_stream->skip(static_cast<std::uint64_t>(std::max<la_int64_t>(count, 0)));
        // Bytes that cannot be passed over fail where they are read.
        input.m_position += passed.valueOr(0);
        return static_cast<la_int64_t>(passed.valueOr(0));
    }
    static la_int64_t seek(archive* reader, void* self, la_int64_t offset, int from) {
        return static_cast<ArchiveInput*>(self)->seekTo(reader, offset, from);
    }

    // Error of the stream below, which says more than libarchive does.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    la_ssize_t fail(archive* reader, const Error& error) {
        m_error = error;
        archive_set_error(reader, EIO, "%s", error.message.c_str());
        return ARCHIVE_FATAL;
    }

    la_ssize_t readBlock(archive* reader, const void** block) {
        const auto got = m_stream->read(m_block);
        if (!got.hasValue())
            return fail(reader, got.error());
        *block = m_block.data();
        m_position += got.value();
        return static_cast<la_ssize_t>(got.value());
    }

    la_int64_t seekTo(archive* reader, la_int64_t offset, int from) {
        const auto size = static_cast<la_int64_t>(m_bytes.size);
        const la_int64_t base = from == SEEK_END ? size
            : from == SEEK_CUR                   ? static_cast<la_int64_t>(m_position)
                                                 : 0;
        const la_int64_t place = std::clamp<la_int64_t>(base + offset, 0, size);
        const auto moved = moveTo(static_cast<std::uint64_t>(place));
        return moved.hasValue() ? place : fail(reader, moved.error());
    }

    const ArchiveBytes& m_bytes;
    std::unique_ptr<std::byte[]> m_memory; // not filled
    std::span<std::byte> m_block;
    std::unique_ptr<ByteStream> m_stream;
    std::uint64_t m_position = 0;
    std::optional<Error> m_error;
};

std::size_t zipNumber(std::string_view bytes, std::size_t at, std::size_t size) {
    std::size_t number = 0;
    for (std::size_t i = std::min(at + size, bytes.size()); i > at; --i)
        number = number << 8U | static_cast<unsigned char>(bytes[i - 1]);
    return number;
}

std::string bytesAt(const ArchiveBytes& bytes, std::uint64_t place, std::size_t count) {
    const auto stream = bytes.open(place);
    std::string text;
    return stream.hasValue() && readUpTo(*stream.value(), count, text).hasValue() ? text : "";
}

// Places of a zip's members, ascending as libarchive lists them, by its central directory
// (APPNOTE.TXT 4.3.12 and 4.3.16); none where that is damaged, or has numbers of 64 bits.
std::vector<std::uint64_t> zipPlaces(const ArchiveBytes& bytes) {
    constexpr std::size_t kEnd = 22;
    constexpr std::size_t kRecord = 46;
    const std::uint64_t tailAt = bytes.size - std::min<std::uint64_t>(bytes.size, kEnd + 65'535);
    const std::string tail = bytesAt(bytes, tailAt, kEnd + 65'535);
    const std::size_t end = std::min(tail.rfind("PK\5\6"), tail.size());
    const std::size_t size = zipNumber(tail, end + 12, 4);
    const std::size_t begin = zipNumber(tail, end + 16, 4);
    if (begin + size > tailAt + end || size > kMostDirectory)
        return {};
    const std::uint64_t at = tailAt + end - size;
    const std::string directory = bytesAt(bytes, at, size);
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i + kRecord <= directory.size();) {
        const std::string_view record(directory.data() + i, kRecord);
        // A program that unpacks itself stands before it all.
        places.push_back(at - begin + zipNumber(record, 42, 4));
        i += kRecord + zipNumber(record, 28, 2) + zipNumber(record, 30, 2)
            + zipNumber(record, 32, 2);
    }
    std::sort(places.begin(), places.end());
    return places;
}

// An open archive; does not move, since libarchive knows where its input is.
class OpenArchive {
public:
    explicit OpenArchive(ArchiveBytes bytes)
        : m_bytes(std::move(bytes))
        , m_input(m_bytes)
        , m_reader(archive_read_new()) { }

    // At the header of a member, or without a place at the front, from where a zip is read by its
    // directory.
    Status start(std::optional<std::uint64_t> place) {
        if (!m_reader)
            return Error{ErrorCode::Internal, "There is not enough memory.", m_bytes.where};
        RETURN_IF_ERROR(m_input.moveTo(place.value_or(0)));
        archive* reader = m_reader.get();
        const bool isZip = m_bytes.kind == ArchiveKind::Zip;
        const int known = !isZip ? archive_read_support_format_tar(reader)
            : place              ? archive_read_support_format_zip_streamable(reader)
                                 : archive_read_support_format_zip_seekable(reader);
        archive_read_set_read_callback(reader, &ArchiveInput::read);
        if (isZip && !place)
            archive_read_set_seek_callback(reader, &ArchiveInput::seek);
        else
            archive_read_set_skip_callback(reader, &ArchiveInput::skip);
        archive_read_set_callback_data(reader, &m_input);
        if (known < ARCHIVE_WARN || archive_read_open1(reader) != ARCHIVE_OK)
            return damaged({});
        return {};
    }

    // nullptr: the end.
    Result<archive_entry*> next() {
        archive_entry* entry = nullptr;
        for (int retries = 0; retries < 3; ++retries) {
            const int code = archive_read_next_header(m_reader.get(), &entry);
            if (code == ARCHIVE_EOF)
                return nullptr;
            if (code == ARCHIVE_OK || code == ARCHIVE_WARN)
                return entry;
            if (code != ARCHIVE_RETRY)
                break;
        }
        return damaged({});
    }

    [[nodiscard]] std::uint64_t headerPlace() const {
        return static_cast<std::uint64_t>(
            std::max<la_int64_t>(archive_read_header_position(m_reader.get()), 0));
    }
    [[nodiscard]] archive* reader() const { return m_reader.get(); }

    [[nodiscard]] Error damaged(const std::string& member) const {
        std::string what = m_input.error() ? m_input.error()->message : std::string();
        const char* said = m_reader ? archive_error_string(m_reader.get()) : nullptr;
        if (what.empty() && said != nullptr)
            what = said;
        const std::string inside = member.empty() ? "" : " at its member " + member;
        return {ErrorCode::Unreadable,
            "The archive is damaged" + inside + (what.empty() ? "" : " (" + what + ")")
                + "; what came before was read. Copy it again.",
            m_bytes.where};
    }

private:
    ArchiveBytes m_bytes;
    ArchiveInput m_input;
    std::unique_ptr<archive, FreeArchive> m_reader;
};

} // namespace

class ParkedReader {
public:
    void park(std::unique_ptr<OpenArchive> reader, std::uint64_t next) {
        const std::lock_guard lock(m_mutex);
        m_reader = std::move(reader);
        m_next = next;
    }
    // With `next`, how many entries it has passed; nullptr where it stands behind the wanted one.
    std::unique_ptr<OpenArchive> take(std::uint64_t wanted, std::uint64_t& next) {
        const std::lock_guard lock(m_mutex);
        if (!m_reader || m_next > wanted)
            return nullptr;
        next = m_next;
        return std::move(m_reader);
    }

private:
    std::mutex m_mutex;
    std::unique_ptr<OpenArchive> m_reader;
    std::uint64_t m_next = 0;
};

std::shared_ptr<ParkedReader> parkingPlace() {
    return std::make_shared<ParkedReader>();
}

namespace {

std::string nameOf(archive_entry* entry) {
    for (const char* name : {archive_entry_pathname_utf8(entry), archive_entry_pathname(entry)}) {
        if (name != nullptr)
            return name;
    }
    return {};
}

std::string problemOf(archive_entry* entry, const std::string& name) {
    if (name.empty())
        return "A member of the archive whose name cannot be read.";
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) == AE_IFLNK)
        return "A link inside the archive; the file that it names is read where it lies.";
    if (archive_entry_filetype(entry) != AE_IFREG)
        return "Not a regular file: a pipe or device inside the archive is not read.";
    if (archive_entry_is_encrypted(entry) != 0)
        return "Encrypted: a member with a password is not read.";
    return {};
}

// The bytes of the entry that a reader stands on.
class EntryStream final : public ByteStream {
public:
    EntryStream(const OpenArchive& archive, std::string name)
        : m_archive(archive)
        , m_name(std::move(name)) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        std::size_t made = 0;
        while (made < buffer.size()) {
            if (m_position < m_blockEnd) {
                made += take(buffer.subspan(made));
                continue;
            }
            if (m_isOver || m_failure)
                break;
            nextBlock();
        }
        if (made == 0 && m_failure)
            return *m_failure;
        return made;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_position; }
    [[nodiscard]] bool hasFailed() const { return m_failure.has_value(); }

private:
    // Blocks of a sparse file leave holes, which are zeros.
    std::size_t take(std::span<std::byte> out) {
        const std::uint64_t blockBegin = m_blockEnd - m_block.size();
        std::size_t count = 0;
        if (m_position < blockBegin) {
            count = static_cast<std::size_t>(
                std::min<std::uint64_t>(out.size(), blockBegin - m_position));
            std::memset(out.data(), 0, count);
        } else {
            const auto from = static_cast<std::size_t>(m_position - blockBegin);
            count = std::min(out.size(), m_block.size() - from);
            std::memcpy(out.data(), m_block.data() + from, count);
        }
        m_position += count;
        return count;
    }

    void nextBlock() {
        const void* data = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int code = archive_read_data_block(m_archive.reader(), &data, &size, &offset);
        if (code == ARCHIVE_EOF) {
            m_isOver = true;
        } else if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
            m_failure = m_archive.damaged(m_name);
        } else {
            // A warning is a checksum that does not fit, told with the last block.
            if (code == ARCHIVE_WARN)
                m_failure = m_archive.damaged(m_name);
            m_block = {static_cast<const std::byte*>(data), size};
            m_blockEnd = static_cast<std::uint64_t>(std::max<la_int64_t>(offset, 0)) + size;
        }
    }

    const OpenArchive& m_archive;
    std::string m_name;
    std::span<const std::byte> m_block;
    std::uint64_t m_blockEnd = 0; // the member's
    std::uint64_t m_position = 0;
    bool m_isOver = false;
    std::optional<Error> m_failure;
};

class MemberStream final : public ByteStream {
public:
    MemberStream(std::unique_ptr<OpenArchive> archive, const ArchiveMember& member,
        std::shared_ptr<ParkedReader> parking)
        : m_archive(std::move(archive))
        , m_entry(*m_archive, member.name)
        , m_next(member.number + 1)
        , m_parking(std::move(parking)) { }
    ~MemberStream() override {
        if (m_parking && !m_entry.hasFailed())
            m_parking->park(std::move(m_archive), m_next);
    }

    Result<std::size_t> read(std::span<std::byte> buffer) override { return m_entry.read(buffer); }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_entry.bytesConsumed(); }

private:
    std::unique_ptr<OpenArchive> m_archive;
    EntryStream m_entry;
    std::uint64_t m_next; // member
    std::shared_ptr<ParkedReader> m_parking;
};

} // namespace

ArchiveList listArchive(const ArchiveBytes& bytes, const MemberVisitor& visit) {
    ArchiveList list;
    const bool isZip = bytes.kind == ArchiveKind::Zip;
    const auto places = isZip ? zipPlaces(bytes) : std::vector<std::uint64_t>();
    OpenArchive open(bytes);
    if (const auto started = open.start(std::nullopt); !started.hasValue()) {
        list.problem = started.error().message;
        return list;
    }
    for (std::uint64_t number = 0;; ++number) {
        const auto entry = open.next();
        if (!entry.hasValue() || list.members.size() >= kMostMembers) {
            const std::string last = list.members.empty() ? "" : list.members.back().name;
            list.problem = entry.hasValue()
                ? "The archive has more than a million members; the rest was left out."
                : open.damaged(last.empty() ? "" : "behind " + last).message;
            return list;
        }
        if (entry.value() == nullptr)
            return list;
        if (archive_entry_filetype(entry.value()) == AE_IFDIR)
            continue;
        const std::string name = nameOf(entry.value());
        const auto size = std::max<la_int64_t>(archive_entry_size(entry.value()), 0);
        std::optional<std::uint64_t> place(open.headerPlace());
        if (isZip)
            place = number < places.size() ? std::optional(places[number]) : std::nullopt;
        list.members.push_back({name, static_cast<std::uint64_t>(size), place, number,
            problemOf(entry.value(), name)});
        if (visit && list.members.back().problem.empty())
            visit(list.members.back(), std::make_unique<EntryStream>(open, name));
    }
}

Result<std::unique_ptr<ByteStream>> openMember(const ArchiveBytes& bytes,
    const ArchiveMember& member, const std::shared_ptr<ParkedReader>& parking) {
    if (member.place && (bytes.kind == ArchiveKind::Zip || !parking)) {
        auto open = std::make_unique<OpenArchive>(bytes);
        const auto entry
            = open->start(member.place).hasValue() ? open->next() : Result<archive_entry*>(nullptr);
        if (entry.hasValue() && entry.value() != nullptr && nameOf(entry.value()) == member.name)
            return std::unique_ptr<ByteStream>(
                std::make_unique<MemberStream>(std::move(open), member, nullptr));
    }
    std::uint64_t next = 0;
    auto open = parking ? parking->take(member.number, next) : nullptr;
    if (!open) {
        open = std::make_unique<OpenArchive>(bytes);
        RETURN_IF_ERROR(open->start(std::nullopt));
    }
    for (; next <= member.number; ++next) {
        ASSIGN_OR_RETURN(const auto entry, open->next());
        if (entry == nullptr)
            return Error{ErrorCode::Unreadable,
                "The archive has changed: its member " + member.name + " is gone.", bytes.where};
    }
    return std::unique_ptr<ByteStream>(
        std::make_unique<MemberStream>(std::move(open), member, parking));
}

} // namespace trainscope::importers
