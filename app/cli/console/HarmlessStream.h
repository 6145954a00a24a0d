#pragma once
// An output stream for a terminal: what is written goes on harmless (core/model/HarmlessText.h), so
// that no name in a file or database can move the cursor, change the title or hide a line.

#include <ostream>
#include <streambuf>
#include <string>

namespace trainscope::cli {

class HarmlessBuffer final : public std::streambuf {
public:
    explicit HarmlessBuffer(std::ostream& to)
        : m_to(to) { }
    HarmlessBuffer(const HarmlessBuffer&) = delete;
    HarmlessBuffer& operator=(const HarmlessBuffer&) = delete;
    ~HarmlessBuffer() override;

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    // All that is whole characters.
    void pass();

    std::ostream& m_to;
    std::string m_held;
};

class HarmlessStream final : public std::ostream {
public:
    explicit HarmlessStream(std::ostream& to)
        : std::ostream(nullptr)
        , m_buffer(to) {
        rdbuf(&m_buffer);
    }

private:
    HarmlessBuffer m_buffer;
};

} // namespace trainscope::cli
