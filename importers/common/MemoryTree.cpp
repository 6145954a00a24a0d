#include "importers/common/Source.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace trainscope::importers {

namespace {

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
        return std::unique_ptr<ByteStream>(std::make_unique<MemoryStream>(found->second));
    }

    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return path.empty() ? "memory" : path;
    }

private:
    std::map<std::string, std::string> m_contents;
    std::vector<SourceFile> m_files;
};

} // namespace

std::unique_ptr<SourceTree> memoryTree(std::vector<std::pair<std::string, std::string>> files) {
    return std::make_unique<MemoryTree>(std::move(files));
}

} // namespace trainscope::importers
