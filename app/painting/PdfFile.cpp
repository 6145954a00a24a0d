#include "app/painting/PdfFile.h"

#include "app/painting/FigureWriters.h"
#include "core/model/AsciiText.h"

#include <QBuffer>
#include <QHashSeed>
#include <QLibrary>
#include <QPageSize>

#include <qpdf/qpdf-c.h>

#include <charconv>
#include <cstdlib>
#include <mutex>

namespace trainscope::app {

namespace {

constexpr std::array<std::string_view, 4> kPathOperators{"m", "l", "c", "re"};

std::optional<double> numberOf(std::string_view word) {
    double value = 0.0;
    const auto end = word.data() + word.size();
    const auto [read, problem] = std::from_chars(word.data(), end, value);
    return problem == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

std::string shortNumber(double value) {
    std::string digits = fmt::format("{:.2f}", value);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.')
        digits.pop_back();
    return digits == "-0" ? "0" : digits;
}

std::string shortLine(std::string_view line) {
    std::string result;
    const auto parts = words(line, " ");
    if (parts.empty() || std::ranges::find(kPathOperators, parts.back()) == kPathOperators.end())
        return std::string(line);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto number = numberOf(parts[i]);
        if (!number)
            return std::string(line);
        result += shortNumber(*number) + " ";
    }
    return result.append(parts.back());
}

// Dots an inch, fine enough that coordinates are not visibly rounded.
constexpr int kResolution = 1200;

// Qt's writer tags the names of fonts by the order of a hash table, which is random by default. The
// seed is the process's: it stays fixed until the last of several exports at once has ended.
class FixedHashOrder {
public:
    FixedHashOrder() {
        const std::scoped_lock lock(s_mutex);
        if (s_exports++ == 0)
            QHashSeed::setDeterministicGlobalSeed();
    }
    ~FixedHashOrder() {
        const std::scoped_lock lock(s_mutex);
        if (--s_exports == 0)
            QHashSeed::resetRandomGlobalSeed();
    }
    FixedHashOrder(const FixedHashOrder&) = delete;
    FixedHashOrder& operator=(const FixedHashOrder&) = delete;

private:
    static inline std::mutex s_mutex;
    static inline int s_exports = 0;
};

// QPDF's C interface, loaded when the first PDF is written: the libraries that come with it would
// cost every start of the program 8 ms.
class Qpdf {
    QLibrary m_library{QStringLiteral(TRAINSCOPE_QPDF_LIBRARY)};
    bool m_complete = true;

    template <typename Function>
    Function* function(const char* name) {
        const auto resolved = reinterpret_cast<Function*>(m_library.resolve(name));
        m_complete = m_complete && resolved != nullptr;
        return resolved;
    }

public:
// NOLINTBEGIN(bugprone-macro-parentheses): the names of members
#define TRAINSCOPE_QPDF(name)                                                                      \
    decltype(::qpdf_##name)* name = function<decltype(::qpdf_##name)>("qpdf_" #name)
    // NOLINTEND(bugprone-macro-parentheses)
    TRAINSCOPE_QPDF(init);
    TRAINSCOPE_QPDF(cleanup);
    TRAINSCOPE_QPDF(silence_errors);
    TRAINSCOPE_QPDF(has_error);
    TRAINSCOPE_QPDF(set_attempt_recovery);
    TRAINSCOPE_QPDF(read_memory);
    TRAINSCOPE_QPDF(get_num_pages);
    TRAINSCOPE_QPDF(get_page_n);
    TRAINSCOPE_QPDF(get_trailer);
    TRAINSCOPE_QPDF(make_indirect_object);
    TRAINSCOPE_QPDF(oh_new_dictionary);
    TRAINSCOPE_QPDF(oh_new_array);
    TRAINSCOPE_QPDF(oh_new_unicode_string);
    TRAINSCOPE_QPDF(oh_new_real_from_double);
    TRAINSCOPE_QPDF(oh_get_key);
    TRAINSCOPE_QPDF(oh_replace_key);
    TRAINSCOPE_QPDF(oh_get_array_item);
    TRAINSCOPE_QPDF(oh_append_item);
    TRAINSCOPE_QPDF(oh_get_numeric_value);
    TRAINSCOPE_QPDF(oh_new_name);
    TRAINSCOPE_QPDF(oh_new_null);
    TRAINSCOPE_QPDF(oh_get_stream_data);
    TRAINSCOPE_QPDF(oh_replace_stream_data);
    TRAINSCOPE_QPDF(init_write_memory);
    TRAINSCOPE_QPDF(set_stream_data_mode);
    TRAINSCOPE_QPDF(set_object_stream_mode);
    TRAINSCOPE_QPDF(set_deterministic_ID);
    TRAINSCOPE_QPDF(write);
    TRAINSCOPE_QPDF(get_buffer);
    TRAINSCOPE_QPDF(get_buffer_length);
#undef TRAINSCOPE_QPDF

    bool complete() const {
        return m_complete;
    }
    std::string failure() const {
        return m_library.errorString().toStdString();
    }
};

// One PDF in memory, of which QPDF owns all objects.
class PdfDocument {
public:
    PdfDocument(const Qpdf& qpdf, const QByteArray& pdf)
        : m_qpdf(qpdf)
        , m_data(qpdf.init()) {
        m_qpdf.silence_errors(m_data);
        m_qpdf.set_attempt_recovery(m_data, QPDF_FALSE);
        m_qpdf.read_memory(m_data, "figure", pdf.constData(),
            static_cast<unsigned long long>(pdf.size()), nullptr);
    }
    ~PdfDocument() { m_qpdf.cleanup(&m_data); }
    PdfDocument(const PdfDocument&) = delete;
    PdfDocument& operator=(const PdfDocument&) = delete;

    void setInformation(const PdfInformation& information) {
        const auto object = m_qpdf.oh_new_dictionary(m_data);
        const auto add = [&](const char* key, const QString& text) {
            if (!text.isEmpty())
                m_qpdf.oh_replace_key(m_data, object, key,
                    m_qpdf.oh_new_unicode_string(m_data, text.toUtf8().constData()));
        };
        add("/Title", information.title);
        add("/Subject", information.subject);
        add("/Keywords", information.keywords);
        add("/Creator", creatorText());
        add("/Producer", QStringLiteral("Qt " QT_VERSION_STR));
        const auto trailer = m_qpdf.get_trailer(m_data);
        m_qpdf.oh_replace_key(
            m_data, trailer, "/Info", m_qpdf.make_indirect_object(m_data, object));
        // Qt 6.8 repeats it as XMP, with a number that is another one each time, and in the ID.
        m_qpdf.oh_replace_key(m_data, trailer, "/ID", m_qpdf.oh_new_null(m_data));
        m_qpdf.oh_replace_key(m_data, m_qpdf.oh_get_key(m_data, trailer, "/Root"), "/Metadata",
            m_qpdf.oh_new_null(m_data));
    }

    // The content hangs from the upper edge of Qt's box, whose height is kept.
    void setTrueSize(const PdfInformation& information) {
        const int pages = m_qpdf.get_num_pages(m_data);
        for (int index = 0; index < pages; ++index) {
            const auto page = m_qpdf.get_page_n(m_data, static_cast<std::size_t>(index));
            const double top = m_qpdf.oh_get_numeric_value(m_data,
                m_qpdf.oh_get_array_item(m_data, m_qpdf.oh_get_key(m_data, page, "/MediaBox"), 3));
            const auto box = m_qpdf.oh_new_array(m_data);
            for (const double edge :
                std::array{0.0, top - information.heightPoints, information.widthPoints, top})
                m_qpdf.oh_append_item(m_data, box, m_qpdf.oh_new_real_from_double(m_data, edge, 3));
            m_qpdf.oh_replace_key(m_data, page, "/MediaBox", box);
        }
    }

    void shortenCoordinates() {
        const int pages = m_qpdf.get_num_pages(m_data);
        for (int index = 0; index < pages; ++index) {
            const auto page = m_qpdf.get_page_n(m_data, static_cast<std::size_t>(index));
            shortenCoordinates(m_qpdf.oh_get_key(m_data, page, "/Contents"));
        }
    }

    // Nothing if QPDF refused the file or any change of it.
    std::optional<QByteArray> written() {
        m_qpdf.init_write_memory(m_data);
        m_qpdf.set_stream_data_mode(m_data, qpdf_s_preserve);
        m_qpdf.set_object_stream_mode(m_data, qpdf_o_disable);
        m_qpdf.set_deterministic_ID(m_data, QPDF_TRUE);
        m_qpdf.write(m_data);
        if (m_qpdf.has_error(m_data))
            return std::nullopt;
        return QByteArray(reinterpret_cast<const char*>(m_qpdf.get_buffer(m_data)),
            static_cast<qsizetype>(m_qpdf.get_buffer_length(m_data)));
    }

private:
    void shortenCoordinates(qpdf_oh contents) {
        constexpr int kSmallest = 9; // zlib's level for the smallest output
        constexpr qsizetype kLengthBytes = 4; // bytes that Qt puts before zlib's output
        unsigned char* bytes = nullptr;
        std::size_t size = 0;
        m_qpdf.oh_get_stream_data(m_data, contents, qpdf_dl_generalized, nullptr, &bytes, &size);
        const std::unique_ptr<unsigned char, decltype(&std::free)> owned(bytes, &std::free);
        if (bytes == nullptr)
            return;
        const std::string shorter
            = withShortCoordinates({reinterpret_cast<const char*>(bytes), size});
        const QByteArray packed = qCompress(reinterpret_cast<const uchar*>(shorter.data()),
            static_cast<qsizetype>(shorter.size()), kSmallest)
                                      .mid(kLengthBytes);
        m_qpdf.oh_replace_stream_data(m_data, contents,
            reinterpret_cast<const unsigned char*>(packed.constData()),
            static_cast<std::size_t>(packed.size()), m_qpdf.oh_new_name(m_data, "/FlateDecode"),
            m_qpdf.oh_new_null(m_data));
    }

    const Qpdf& m_qpdf;
    qpdf_data m_data;
};

Result<QByteArray> rewritten(const QByteArray& pdf, const PdfInformation& information) {
    static const Qpdf qpdf;
    if (!qpdf.complete())
        return Error{ErrorCode::Io,
            "PDFs need the library QPDF (package libqpdf29), which could not be loaded ("
                + qpdf.failure() + "). Install it, or export as SVG.",
            {}};
    PdfDocument document(qpdf, pdf);
    document.setInformation(information);
    document.setTrueSize(information);
    document.shortenCoordinates();
    if (auto bytes = document.written())
        return std::move(*bytes);
    return Error{
        ErrorCode::Internal, "The PDF writer gave an unexpected file; export as SVG instead.", {}};
}

} // namespace

std::string withShortCoordinates(std::string_view content) {
    std::string result;
    result.reserve(content.size());
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        result.append(shortLine(content.substr(0, end))).append("\n");
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return result;
}

Result<QByteArray> paintPdf(const PdfInformation& information,
    const std::function<void(QPdfWriter& writer, QPainter& painter)>& paint) {
    const FixedHashOrder fixed;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kResolution);
        writer.setPageSize(QPageSize(
            QSizeF(information.widthPoints * kMmPerPoint, information.heightPoints * kMmPerPoint),
            QPageSize::Millimeter, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        QPainter painter;
        if (!painter.begin(&writer))
            return Error{
                ErrorCode::Io, "The PDF could not be started; the figure may be too large.", {}};
        painter.scale(kResolution / 72.0, kResolution / 72.0);
        paint(writer, painter);
    }
    return rewritten(bytes, information);
}

} // namespace trainscope::app
