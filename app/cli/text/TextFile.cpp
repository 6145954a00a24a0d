#include "app/cli/text/TextFile.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace trainscope::cli {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

Error writeError(const std::filesystem::path& path, int code) {
    return {ErrorCode::Io,
        "The file cannot be written (" + std::generic_category().message(code) + ").",
        path.string()};
}

} // namespace

TextFile::TextFile(std::filesystem::path path)
    : m_path(std::move(path))
    , m_temporary(m_path.string() + ".part") { }

TextFile::~TextFile() {
    if (!m_file)
        return;
    m_file.reset();
    std::error_code ignored;
    std::filesystem::remove(m_temporary, ignored);
}

Result<TextFile> TextFile::create(const std::filesystem::path& path) {
    TextFile file(path);
    file.m_file.reset(std::fopen(file.m_temporary.c_str(), "wb"));
    if (!file.m_file)
        return writeError(path, errno);
    std::setvbuf(file.m_file.get(), nullptr, _IOFBF, kBuffer);
    return file;
}

void TextFile::write(std::string_view text) {
    // The stream keeps its error flag, and close() looks at it.
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), m_file.get()));
}

Status TextFile::close() {
    const bool failed = std::ferror(m_file.get()) != 0;
    errno = failed ? EIO : 0;
    if (std::fclose(m_file.release()) != 0 || failed) {
        const int code = errno == 0 ? EIO : errno;
        std::error_code ignored;
        std::filesystem::remove(m_temporary, ignored);
        return writeError(m_path, code);
    }
    std::error_code problem;
    std::filesystem::rename(m_temporary, m_path, problem);
    return problem ? Status(writeError(m_path, problem.value())) : Status();
}

} // namespace trainscope::cli
