#include "importers/common/Source.h"

#include "core/model/Try.h"
#include "importers/common/Decompress.h"

#include <cstring>

namespace trainscope::importers {

namespace {

// Gives back the bytes that were read to find out what the stream is.
class PrefixedStream final : public ByteStream {
public:
    PrefixedStream(std::string prefix, std::unique_ptr<ByteStream> rest)
        : m_prefix(std::move(prefix))
        , m_rest(std::move(rest)) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        if (m_position == m_prefix.size())
            return m_rest->read(buffer);
        const std::size_t count = std::min(buffer.size(), m_prefix.size() - m_position);
        std::memcpy(buffer.data(), m_prefix.data() + m_position, count);
        m_position += count;
        return count;
    }

    Result<std::uint64_t> skip(std::uint64_t count) override {
        const std::uint64_t own = std::min<std::uint64_t>(count, m_prefix.size() - m_position);
        m_position += static_cast<std::size_t>(own);
        if (own == count)
            return own;
        ASSIGN_OR_RETURN(const auto rest, m_rest->skip(count - own));
        return own + rest;
    }

    [[nodiscard]] std::uint64_t bytesConsumed() const override {
        return m_rest->bytesConsumed() - (m_prefix.size() - m_position);
    }

private:
    std::string m_prefix;
    std::size_t m_position = 0;
    std::unique_ptr<ByteStream> m_rest;
};

// nullptr: not listed.
const SourceFile* listed(const std::vector<SourceFile>& all, std::string_view path) {
    const auto file = std::ranges::lower_bound(all, path, {}, &SourceFile::path);
    return file != all.end() && file->path == path ? &*file : nullptr;
}

class MemoryStream final : public ByteStream {
public:
    explicit MemoryStream(std::string_view content)
        : m_content(content) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        const std::size_t count = std::min(buffer.size(), m_content.size() - m_position);
        if (count > 0)
            std::memcpy(buffer.data(), m_content.data() + m_position, count);
        m_position += count;
        return count;
    }
    Result<std::uint64_t> skip(std::uint64_t count) override {
        count = std::min<std::uint64_t>(count, m_content.size() - m_position);
        m_position += static_cast<std::size_t>(count);
        return count;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_position; }

private:
    std::string_view m_content;
    std::size_t m_position = 0;
};

class MemoryTree final : public SourceTree {
public:
    explicit MemoryTree(std::vector<std::pair<std::string, std::string>>&& files) {
        for (auto& [path, content] : files)
            m_contents[path] = std::move(content);
        for (const auto& [path, content] : m_contents)
            m_files.push_back({path, content.size(), {}});
    }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }

    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        const auto found = m_contents.find(path);
        if (found == m_contents.end())
            return Error{ErrorCode::NotFound, "There is no such file.", path};
        return memoryStream(found->second);
    }

    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return path.empty() ? "memory" : path;
    }

private:
    std::map<std::string, std::string> m_contents;
    std::vector<SourceFile> m_files;
};

} // namespace

Result<std::uint64_t> ByteStream::skip(std::uint64_t count) {
    std::vector<std::byte> block(std::min<std::uint64_t>(count, std::size_t{1} << 18));
    std::uint64_t passed = 0;
    while (passed < count) {
        const auto wanted = std::min<std::uint64_t>(block.size(), count - passed);
        ASSIGN_OR_RETURN(
            const auto got, read(std::span(block).first(static_cast<std::size_t>(wanted))));
        if (got == 0)
            break;
        passed += got;
    }
    return passed;
}

std::uint64_t SourceTree::sizeOf(std::string_view path) const {
    const SourceFile* file = listed(files(), path);
    return file == nullptr ? 0 : file->size;
}

Result<std::unique_ptr<ByteStream>> SourceTree::open(const std::string& path) const {
    auto raw = openRaw(path);
    if (!raw.hasValue())
        return raw;
    std::string magic;
    RETURN_IF_ERROR(readUpTo(*raw.value(), kMagicBytes, magic));
    const Compression compression = compressionOf(magic);
    auto stream = std::make_unique<PrefixedStream>(std::move(magic), std::move(raw).value());
    if (compression == Compression::None)
        return std::unique_ptr<ByteStream>(std::move(stream));
    auto plain = decompressed(compression, std::move(stream), displayPath(path));
    if (!plain.hasValue())
        return plain;
    auto bounded = std::make_unique<Bounded>(
        std::move(plain).value(), 0, displayPath(path), Bounded::GoesOn(), allowanceOf(path));
    return std::unique_ptr<ByteStream>(std::make_unique<ReadAhead>(std::move(bounded)));
}

Status readUpTo(ByteStream& stream, std::size_t limit, std::string& text) {
    constexpr std::size_t kFirstRoom = std::size_t{4} << 10;
    std::size_t size = text.size();
    while (size < limit) {
        // Most files are far smaller than the limit.
        text.resize(std::min(limit, std::max(kFirstRoom, 2 * size)));
        const auto room = std::span(text.data() + size, text.size() - size);
        const auto count = stream.read(std::as_writable_bytes(room));
        if (!count.hasValue() && size == 0)
            return count.error();
        if (!count.hasValue() || count.value() == 0)
            break;
        size += count.value();
    }
    text.resize(size);
    return {};
}

Result<std::string> readHead(const SourceTree& tree, const std::string& path, std::size_t limit) {
    ASSIGN_OR_RETURN(const auto stream, tree.open(path));
    std::string text;
    RETURN_IF_ERROR(readUpTo(*stream, limit, text));
    return text;
}

std::string readTail(const SourceTree& tree, const std::string& path, std::size_t limit) {
    return readBeforeEnd(tree, path, limit, limit);
}

std::string readBeforeEnd(
    const SourceTree& tree, const std::string& path, std::uint64_t beforeEnd, std::size_t limit) {
    const std::uint64_t size = tree.sizeOf(path);
    const auto stream = tree.openRaw(path);
    std::string text;
    if (size < beforeEnd + kMagicBytes || !stream.hasValue()
        || !readUpTo(*stream.value(), kMagicBytes, text).hasValue()
        || compressionOf(text) != Compression::None
        || !stream.value()->skip(size - beforeEnd - kMagicBytes).hasValue())
        return {};
    text.clear();
    return readUpTo(*stream.value(), limit, text).hasValue() ? text : std::string();
}

std::unique_ptr<ByteStream> memoryStream(std::string_view content) {
    return std::make_unique<MemoryStream>(content);
}

std::unique_ptr<SourceTree> memoryTree(std::vector<std::pair<std::string, std::string>> files) {
    return std::make_unique<MemoryTree>(std::move(files));
}

} // namespace trainscope::importers
