#include "app/cli/text/TextFile.h"

#include <zlib.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace trainscope::cli {

namespace {

constexpr unsigned kBuffer = 1U << 20U;

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

void TextFile::Closer::operator()(gzFile_s* file) const {
    gzclose(file);
}

Result<TextFile> TextFile::create(const std::filesystem::path& path) {
    TextFile file(path);
    errno = 0;
    // "T": as it is, without a header; "1": what is written faster than the disk takes it.
    file.m_file.reset(gzopen(file.m_temporary.c_str(), path.extension() == ".gz" ? "wb1" : "wbT"));
    if (!file.m_file)
        return writeError(path, errno);
    gzbuffer(file.m_file.get(), kBuffer);
    return file;
}

void TextFile::write(std::string_view text) {
    // Failures stay, and close() looks at them.
    if (!text.empty() && gzfwrite(text.data(), 1, text.size(), m_file.get()) != text.size())
        m_failed = true;
}

Status TextFile::close() {
    errno = 0;
    if (gzclose(m_file.release()) != Z_OK || m_failed) {
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
