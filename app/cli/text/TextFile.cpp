#include "app/cli/text/TextFile.h"

#include "core/model/Try.h"
#include "core/store/database/StoreFile.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>

namespace trainscope::cli {

namespace {

constexpr unsigned kBuffer = 1U << 20U;

Error writeError(const std::filesystem::path& path, int code) {
    return {ErrorCode::Io,
        "The file cannot be written (" + std::generic_category().message(code) + ").",
        path.string()};
}

bool takesTextAsItComes(const std::filesystem::path& path) {
    std::error_code ignored; // a missing file is no error
    const auto status = std::filesystem::status(path, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)
        && !std::filesystem::is_directory(status);
}

} // namespace

TextFile::TextFile(std::filesystem::path path)
    : m_path(std::move(path))
    , m_place(store::behindLinks(m_path)) { }

TextFile::~TextFile() {
    m_file.reset();
    remove();
}

void TextFile::Closer::operator()(gzFile_s* file) const {
    gzclose(file);
}

Result<TextFile> TextFile::create(const std::filesystem::path& path) {
    RETURN_IF_ERROR(store::checkReplaceable(path));
    TextFile file(path);
    const int number = file.open();
    if (number < 0)
        return writeError(path, errno);
    // "T": as it is, without a header; "1": what is written faster than the disk takes it.
    file.m_file.reset(gzdopen(number, path.extension() == ".gz" ? "wb1" : "wbT"));
    if (!file.m_file) {
        ::close(number);
        file.remove();
        return writeError(path, ENOMEM);
    }
    gzbuffer(file.m_file.get(), kBuffer);
    return file;
}

int TextFile::open() {
    if (takesTextAsItComes(m_path))
        return ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
    if (::access(m_place.c_str(), F_OK) == 0 && ::access(m_place.c_str(), W_OK) != 0)
        return -1; // a move would replace what is write-protected
    constexpr mode_t kAsUsual = 0666;
    constexpr int kMostTried = 100;
    for (int i = 0; i < kMostTried; ++i) {
        const std::string name = fmt::format("{}.{}-{}.part", m_place.native(), ::getpid(), i);
        const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAsUsual);
        if (number >= 0) {
            m_temporary = name;
            m_unfinished = std::make_unique<UnfinishedFile>(m_temporary);
        }
        if (number >= 0 || errno != EEXIST)
            return number;
    }
    return -1;
}

void TextFile::remove() {
    if (!m_unfinished)
        return;
    std::error_code ignored;
    std::filesystem::remove(m_temporary, ignored);
    m_unfinished.reset();
}

void TextFile::write(std::string_view text) {
    // Failures stay, and finish() looks at them.
    if (!text.empty() && gzfwrite(text.data(), 1, text.size(), m_file.get()) != text.size())
        m_failed = true;
}

Status TextFile::finish() {
    errno = 0;
    if (!m_file || (gzclose(m_file.release()) == Z_OK && !m_failed))
        return {};
    const int code = errno == 0 ? EIO : errno;
    remove();
    return writeError(m_path, code);
}

Status TextFile::close() {
    RETURN_IF_ERROR(finish());
    if (!m_unfinished)
        return {}; // written in place
    std::error_code problem;
    std::filesystem::rename(m_temporary, m_place, problem);
    if (!problem) {
        m_unfinished.reset();
        return {};
    }
    remove();
    return writeError(m_path, problem.value());
}

} // namespace trainscope::cli
