#include "importers/common/ArchiveTree.h"

#include "core/model/Try.h"
#include "importers/common/ArchiveReader.h"
#include "importers/common/Decompress.h"

#include <zstd.h>

namespace trainscope::importers {

namespace {

std::optional<std::int64_t> octal(std::string_view field) {
    const auto first = field.find_first_not_of(' ');
    if (first == std::string_view::npos)
        return std::nullopt;
    std::int64_t value = 0;
    bool isNumber = false;
    for (const char c : field.substr(first)) {
        if (c < '0' || c > '7')
            break;
        value = value * 8 + (c - '0');
        isNumber = true;
    }
    return isNumber ? std::optional(value) : std::nullopt;
}

// The sum over the header with blanks in the place of the sum itself.
bool isTarHeader(std::string_view head) {
    constexpr std::size_t kSumAt = 148;
    constexpr std::size_t kSumSize = 8;
    if (head.size() < kTarHeader || head[0] == '\0')
        return false;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kTarHeader; ++i) {
        const bool isSum = i >= kSumAt && i < kSumAt + kSumSize;
        sum += isSum ? ' ' : static_cast<unsigned char>(head[i]);
    }
    return octal(head.substr(kSumAt, kSumSize)) == sum;
}

// Files that are zip files, but hold a program's own parts: documents, arrays, checkpoints.
bool isZipOfProgram(std::string_view head) {
    constexpr std::size_t kNameAt = 30;
    constexpr std::size_t kNameSizeAt = 26;
    if (head.size() < kNameAt)
        return false;
    const auto size = static_cast<unsigned char>(head[kNameSizeAt])
        + 256U * static_cast<unsigned char>(head[kNameSizeAt + 1]);
    const std::string_view name = head.substr(kNameAt, size);
    return name.ends_with("data.pkl") || name.ends_with(".npy") || name == "mimetype"
        || name == "[Content_Types].xml" || name.starts_with("META-INF/");
}

constexpr std::size_t kSmallestZip = 22;
constexpr std::size_t kMostKept = std::size_t{192} << 20;

// Members of an archive that cannot be entered in the middle, compressed each for itself.
class KeptMembers {
public:
    // Leaves out what does not fit into `left`, from which it takes what it keeps.
    void keep(std::uint64_t number, ByteStream& stream, std::size_t& left) {
        const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
        if (!context || left == 0)
            return;
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
        std::string packed;
        std::vector<std::byte> in(kKeptBlock);
        std::string out(ZSTD_CStreamOutSize(), '\0');
        std::uint64_t made = 0;
        for (bool goesOn = true; goesOn;) {
            const auto got = stream.read(in);
            goesOn = got.valueOr(0) > 0;
            made += got.valueOr(0);
            if (!got.hasValue() || made > kAlwaysAllowed
                || !pack(*context, {in.data(), got.value(), 0}, !goesOn, out, packed)
                || packed.size() > left)
                return;
        }
        left -= packed.size();
        m_packed.emplace(number, std::move(packed));
    }
    // nullptr: not kept.
    [[nodiscard]] const std::string* find(std::uint64_t number) const {
        const auto found = m_packed.find(number);
        return found == m_packed.end() ? nullptr : &found->second;
    }

private:
    static constexpr std::size_t kKeptBlock = std::size_t{128} << 10;
    struct FreeContext {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };

    static bool pack(
        ZSTD_CCtx& context, ZSTD_inBuffer in, bool isLast, std::string& out, std::string& packed) {
        while (true) {
            ZSTD_outBuffer to{out.data(), out.size(), 0};
            const std::size_t rest
                = ZSTD_compressStream2(&context, &to, &in, isLast ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(rest) != 0)
                return false;
            packed.append(out, 0, to.pos);
            if (isLast ? rest == 0 : in.pos == in.size)
                return true;
        }
    }

    std::map<std::uint64_t, std::string> m_packed;
};

// An archive of the tree below.
struct Archive {
    explicit Archive(const SourceFile& file)
        : path(file.path)
        , size(file.size)
        , expansion(std::make_shared<Expansion>(file.size)) { }

    [[nodiscard]] Allowance allowanceOf(const ArchiveMember& member) const {
        return [all = expansion, number = member.number](
                   std::uint64_t made) { return all->allows(number, made); };
    }

    std::string path;
    std::uint64_t size = 0;
    std::shared_ptr<Expansion> expansion;
    ArchiveKind kind = ArchiveKind::None;
    Compression compression = Compression::None;
    RestartPoints points;
    KeptMembers kept;
    std::shared_ptr<ParkedReader> parking; // for those that cannot be entered in the middle
};

Result<std::unique_ptr<ByteStream>> openArchiveAt(
    const SourceTree& tree, const Archive& archive, std::uint64_t offset) {
    ASSIGN_OR_RETURN(auto raw, tree.openRaw(archive.path));
    const std::string where = tree.displayPath(archive.path);
    if (archive.compression == Compression::Gzip)
        return gunzippedFrom(offset, archive.points, std::move(raw), where);
    if (archive.compression == Compression::Zstd) {
        ASSIGN_OR_RETURN(raw, decompressed(Compression::Zstd, std::move(raw), where));
    }
    RETURN_IF_ERROR(raw->skip(offset));
    return raw;
}

// Text in the forms that recordings have is not looked into.
bool isPlainByName(std::string_view path) {
    static constexpr std::array<std::string_view, 9> kEndings{
        ".csv", ".json", ".txt", ".log", ".out", ".yaml", ".sh", ".py", ".md"};
    return std::ranges::any_of(
        kEndings, [path](std::string_view ending) { return path.ends_with(ending); });
}

class ArchiveTree final : public SourceTree {
public:
    ArchiveTree(std::unique_ptr<SourceTree> inner, std::vector<std::unique_ptr<Archive>> archives)
        : m_inner(std::move(inner))
        , m_archives(std::move(archives)) { }

    // Call once. False: the progress has ended it.
    bool listAll(const Progress& progress) {
        m_progress = &progress;
        for (const SourceFile& file : m_inner->files()) {
            if (m_isCancelled)
                return false;
            const auto archive = std::ranges::find_if(
                m_archives, [&file](const auto& one) { return one->path == file.path; });
            if (archive == m_archives.end())
                m_files.push_back(file);
            else
                list(**archive);
        }
        std::ranges::sort(m_files, {}, &SourceFile::path);
        m_progress = nullptr;
        return !m_isCancelled;
    }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }

    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        const auto found = m_members.find(path);
        if (found == m_members.end())
            return m_inner->openRaw(path);
        const Archive& archive = *found->second.archive;
        if (const std::string* packed = archive.kept.find(found->second.member.number))
            return decompressed(
                Compression::Zstd, memoryStream(*packed), m_inner->displayPath(path));
        ASSIGN_OR_RETURN(
            auto stream, openMember(bytesOf(archive), found->second.member, archive.parking));
        // Members of a zip are compressed, and those of a tar may have holes of any size.
        stream = std::make_unique<Bounded>(std::move(stream), archive.size, displayPath(path),
            Bounded::GoesOn(), archive.allowanceOf(found->second.member));
        if (archive.compression == Compression::None)
            return stream;
        return std::unique_ptr<ByteStream>(std::make_unique<ReadAhead>(std::move(stream)));
    }

    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner->displayPath(path);
    }
    [[nodiscard]] std::string localPath(const std::string& path) const override {
        return m_members.contains(path) ? std::string() : m_inner->localPath(path);
    }
    [[nodiscard]] Allowance allowanceOf(const std::string& path) const override {
        const auto found = m_members.find(path);
        return found == m_members.end() ? m_inner->allowanceOf(path)
                                        : found->second.archive->allowanceOf(found->second.member);
    }

private:
    struct Inside {
        const Archive* archive = nullptr;
        ArchiveMember member;
    };

    [[nodiscard]] ArchiveBytes bytesOf(const Archive& archive) const {
        return {archive.kind,
            [this, &archive](
                std::uint64_t offset) { return openArchiveAt(*m_inner, archive, offset); },
            archive.size, m_inner->displayPath(archive.path)};
    }

    // The first reading, which keeps the points from which later ones begin.
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openFirst(Archive& archive) {
        ASSIGN_OR_RETURN(auto raw, m_inner->openRaw(archive.path));
        ASSIGN_OR_RETURN(auto plain,
            decompressed(archive.compression, std::move(raw), m_inner->displayPath(archive.path),
                &archive.points));
        return std::unique_ptr<ByteStream>(std::make_unique<Bounded>(std::move(plain), archive.size,
            std::string(), [this, &archive](std::uint64_t consumed) {
                m_consumed = consumed;
                return goesOn(archive);
            }));
    }

    // While it is listed.
    bool goesOn(const Archive& archive) {
        if (!m_isCancelled && m_progress != nullptr && *m_progress
            && !(*m_progress)({"Looking into " + archive.path, m_consumed, archive.size}))
            m_isCancelled = true;
        return !m_isCancelled;
    }

    // A hole of a sparse member has any size.
    void keep(Archive& archive, const ArchiveMember& member, std::unique_ptr<ByteStream> stream) {
        Bounded bounded(
            std::move(stream), archive.size, {},
            [this, &archive](std::uint64_t) { return goesOn(archive); },
            archive.allowanceOf(member));
        archive.kept.keep(member.number, bounded, m_mayKeep);
    }

    void list(Archive& archive) {
        m_consumed = 0;
        ArchiveBytes bytes = bytesOf(archive);
        if (archive.compression != Compression::None)
            bytes.open = [this, &archive](std::uint64_t) { return openFirst(archive); };
        MemberVisitor visit;
        if (archive.compression == Compression::Zstd)
            visit = [this, &archive](
                        const ArchiveMember& member, std::unique_ptr<ByteStream> stream) {
                keep(archive, member, std::move(stream));
            };
        ArchiveList listed = listArchive(bytes, visit);
        // The last of two members of one name counts: unpacking would leave that one.
        for (ArchiveMember& member : listed.members) {
            const std::string path = memberPath(member.name);
            if (path.empty())
                member.problem = "The name of this member (" + member.name
                    + ") leads out of the archive; it is not read.";
            const std::string full = archive.path + "/" + (path.empty() ? "(member)" : path);
            m_members[full] = {&archive, std::move(member)};
        }
        addFiles(archive);
        if (!listed.problem.empty())
            m_files.push_back({archive.path, archive.size, listed.problem});
        else if (listed.members.empty())
            m_files.push_back({archive.path, archive.size, "An archive without files in it."});
    }

    void addFiles(const Archive& archive) {
        const std::string folder = archive.path + "/";
        for (auto at = m_members.lower_bound(folder);
             at != m_members.end() && at->first.starts_with(folder); ++at)
            m_files.push_back({at->first, at->second.member.size, at->second.member.problem});
    }

    std::unique_ptr<SourceTree> m_inner;
    std::vector<std::unique_ptr<Archive>> m_archives;
    std::map<std::string, Inside> m_members; // by path
    std::vector<SourceFile> m_files;
    std::size_t m_mayKeep = kMostKept;
    const Progress* m_progress = nullptr;
    std::uint64_t m_consumed = 0; // the listed archive's
    bool m_isCancelled = false;
};

std::unique_ptr<Archive> archiveAt(const SourceTree& tree, const SourceFile& file) {
    if (!file.problem.empty() || file.size < kSmallestZip || isPlainByName(file.path))
        return nullptr;
    auto raw = tree.openRaw(file.path);
    std::string head;
    if (!raw.hasValue() || !readUpTo(*raw.value(), kTarHeader, head).hasValue())
        return nullptr;
    auto archive = std::make_unique<Archive>(file);
    archive->compression = compressionOf(head);
    if (archive->compression != Compression::None) {
        auto plain = readHead(tree, file.path, kTarHeader);
        head = plain.valueOr({});
    }
    archive->kind = archiveKindOf(head);
    if (archive->compression == Compression::Zstd || archive->kind == ArchiveKind::Zip)
        archive->parking = parkingPlace();
    // A zip is read from its end, so it cannot lie inside compressed data.
    const bool isRead = archive->kind == ArchiveKind::Tar
        || (archive->kind == ArchiveKind::Zip && archive->compression == Compression::None);
    return isRead ? std::move(archive) : nullptr;
}

} // namespace

ArchiveKind archiveKindOf(std::string_view head) {
    using namespace std::string_view_literals;
    if (head.starts_with("PK\3\4"sv))
        return isZipOfProgram(head) ? ArchiveKind::None : ArchiveKind::Zip;
    return isTarHeader(head) ? ArchiveKind::Tar : ArchiveKind::None;
}

std::string memberPath(std::string_view stored) {
    std::string path;
    for (std::size_t at = 0; at <= stored.size();) {
        const std::size_t end = std::min(stored.find_first_of("/\\", at), stored.size());
        const std::string_view part = stored.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".")
            continue;
        if (part == ".." || part.find('\0') != std::string_view::npos)
            return {};
        if (!path.empty())
            path += '/';
        path += part;
    }
    return path;
}

std::unique_ptr<SourceTree> withArchives(std::unique_ptr<SourceTree> inner) {
    const Progress endless;
    return std::move(withArchives(std::move(inner), endless)).value();
}

Result<std::unique_ptr<SourceTree>> withArchives(
    std::unique_ptr<SourceTree> inner, const Progress& progress) {
    std::vector<std::unique_ptr<Archive>> archives;
    for (const SourceFile& file : inner->files()) {
        if (auto archive = archiveAt(*inner, file))
            archives.push_back(std::move(archive));
    }
    if (archives.empty())
        return inner;
    auto tree = std::make_unique<ArchiveTree>(std::move(inner), std::move(archives));
    if (!tree->listAll(progress))
        return cancelled();
    return std::unique_ptr<SourceTree>(std::move(tree));
}

} // namespace trainscope::importers
