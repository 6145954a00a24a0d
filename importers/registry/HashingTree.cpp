#include "importers/registry/HashingTree.h"

#include "core/model/Try.h"
#include "importers/common/RunFolders.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <mutex>

namespace trainscope::importers {

namespace {

struct StateDeleter {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
using State = std::unique_ptr<XXH3_state_t, StateDeleter>;

State newState() {
    State state(XXH3_createState());
    if (state)
        XXH3_128bits_reset(state.get());
    return state;
}

XXH128_canonical_t digestOf(const State& state) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
    return canonical;
}

struct FileDigest {
    XXH128_canonical_t digest{};
    std::uint64_t size = 0;
};

Error outOfMemory() {
    return {ErrorCode::Internal, "There is not enough memory to hash a file.", {}};
}

} // namespace

struct HashingTree::Digests {
    std::mutex mutex;
    std::map<std::string, FileDigest> done; // files that were read to their end

    void keep(const std::string& path, const State& state, std::uint64_t size) {
        const std::lock_guard lock(mutex);
        done[path] = {digestOf(state), size};
    }
    std::optional<FileDigest> find(const std::string& path) {
        const std::lock_guard lock(mutex);
        const auto found = done.find(path);
        return found == done.end() ? std::nullopt : std::optional(found->second);
    }

    class Stream;
};

class HashingTree::Digests::Stream final : public ByteStream {
public:
    Stream(std::unique_ptr<ByteStream> inner, std::shared_ptr<Digests> digests, std::string path,
        std::uint64_t size)
        : m_inner(std::move(inner))
        , m_digests(std::move(digests))
        , m_path(std::move(path))
        , m_expected(size)
        , m_state(newState()) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        auto count = m_inner->read(buffer);
        if (!count.hasValue() || !m_state)
            return count;
        if (count.value() > 0)
            XXH3_128bits_update(m_state.get(), buffer.data(), count.value());
        m_size += count.value();
        // Readers that know the size do not ask for the end.
        if ((count.value() == 0 && !buffer.empty()) || m_size == m_expected)
            m_digests->keep(m_path, m_state, m_size);
        return count;
    }
    // Skipped bytes are not in the hash, so there is none.
    Result<std::uint64_t> skip(std::uint64_t count) override {
        m_state.reset();
        return m_inner->skip(count);
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_inner->bytesConsumed(); }

private:
    std::unique_ptr<ByteStream> m_inner;
    std::shared_ptr<Digests> m_digests;
    std::string m_path;
    std::uint64_t m_expected = 0;
    std::uint64_t m_size = 0;
    State m_state;
};

HashingTree::HashingTree(const SourceTree& inner)
    : m_inner(inner)
    , m_digests(std::make_shared<Digests>()) { }

HashingTree::~HashingTree() = default;

Result<std::unique_ptr<ByteStream>> HashingTree::openRaw(const std::string& path) const {
    auto stream = m_inner.openRaw(path);
    if (!stream.hasValue())
        return stream;
    return std::unique_ptr<ByteStream>(std::make_unique<Digests::Stream>(
        std::move(stream).value(), m_digests, path, m_inner.sizeOf(path)));
}

Status HashingTree::readToEnd(
    const std::string& path, const ImportUnit& unit, const Progress& progress) const {
    ASSIGN_OR_RETURN(auto stream, openRaw(path));
    std::vector<std::byte> buffer(std::size_t{1} << 20);
    while (true) {
        ASSIGN_OR_RETURN(const auto count, stream->read(buffer));
        if (count == 0)
            return {};
        if (progress && !progress({"Hashing", stream->bytesConsumed(), unit.bytes}))
            return cancelled();
    }
}

Result<std::string> HashingTree::hashOf(const ImportUnit& unit, const Progress& progress) const {
    const State whole = newState();
    if (!whole)
        return outOfMemory();
    auto files = unit.files;
    std::sort(files.begin(), files.end());
    for (const std::string& path : files) {
        if (!m_digests->find(path))
            RETURN_IF_ERROR(readToEnd(path, unit, progress));
        const auto digest = m_digests->find(path);
        if (!digest)
            return outOfMemory();
        std::string_view name = path;
        if (name.starts_with(unit.path + "/"))
            name.remove_prefix(unit.path.size() + 1);
        else if (files.size() == 1)
            name = namePart(path);
        std::array<unsigned char, 9> size{};
        for (std::size_t i = 0; i < 8; ++i)
            size[i + 1] = static_cast<unsigned char>(digest->size >> (8 * i));
        XXH3_128bits_update(whole.get(), name.data(), name.size());
        XXH3_128bits_update(whole.get(), size.data(), size.size());
        XXH3_128bits_update(whole.get(), digest->digest.digest, sizeof(digest->digest.digest));
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(whole.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace trainscope::importers
