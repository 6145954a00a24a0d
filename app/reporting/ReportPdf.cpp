#include "app/painting/FigureFile.h"
#include "app/painting/PdfFile.h"
#include "app/painting/ScenePainter.h"
#include "app/reporting/ReportBody.h"
#include "app/reporting/ReportFile.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace trainscope::app {

namespace {

constexpr double kReportMargin = 48.0; // points
constexpr double kFoot = 24.0;
constexpr double kIndent = 14.0; // indent of lists
constexpr int kFigureObject = QTextFormat::UserObject + 1; // the format's object type
constexpr int kFigureIndex = QTextFormat::UserProperty + 1; // index of the scene

std::size_t figureOf(const QTextFormat& format) {
    return static_cast<std::size_t>(format.intProperty(kFigureIndex));
}

// Figures as characters of the document, drawn as vectors.
class FigureObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    // One unit of a scene is one of the document; a higher one than `most` is made smaller. The
    // theme must outlive this.
    FigureObject(std::vector<plot::PlotScene> scenes, const plot::Theme& theme, double most)
        : m_scenes(std::move(scenes))
        , m_theme(theme)
        , m_most(m_scenes.size(), most) { }

    [[nodiscard]] double heightOf(std::size_t figure) const {
        return std::min(m_scenes[figure].height, m_most[figure]);
    }
    void setMost(std::size_t figure, double most) { m_most[figure] = most; }

    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
        const std::size_t index = figureOf(format);
        const auto& scene = m_scenes[index];
        const double scale = heightOf(index) / scene.height;
        return {scene.width * scale, scene.height * scale};
    }

    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
        const QTextFormat& format) override {
        // One that only touches the page stands on the next.
        if (!painter->clipBoundingRect().intersects(rect.adjusted(0.0, 1.0, 0.0, -1.0)))
            return;
        painter->save();
        painter->translate(rect.topLeft());
        const std::size_t index = figureOf(format);
        const auto& scene = m_scenes[index];
        const double scale = heightOf(index) / scene.height;
        painter->scale(scale, scale);
        paintScene(scene, m_theme, *painter, PaintTarget::Vector);
        painter->restore();
    }

private:
    std::vector<plot::PlotScene> m_scenes;
    const plot::Theme& m_theme;
    std::vector<double> m_most; // by scene
};

// In points.
struct Sheet {
    double width = 595.276;
    double height = 841.89;

    [[nodiscard]] double contentWidth() const { return width - 2.0 * kReportMargin; }
    [[nodiscard]] double contentHeight() const { return height - 2.0 * kReportMargin - kFoot; }
};

Sheet sheetOf(Paper paper) {
    return paper == Paper::Letter ? Sheet{612.0, 792.0} : Sheet{};
}

constexpr const char* kDocumentStyle = R"(
h1{font-size:15px;font-weight:600}h2{font-size:11px;font-weight:600;margin-top:14px;margin-bottom:3px}
h3{font-size:8.5px;font-weight:600;color:#333;margin-top:8px;margin-bottom:2px}
p,li{font-size:8.5px;margin-top:2px;margin-bottom:3px}td,th{font-size:6.5px}th{font-weight:600;color:#333}
.facts,.note,.rule{color:#444;font-size:7.5px}
)";

std::vector<plot::PlotScene> drawAll(const report::Report& report, const Sheet& sheet) {
    std::vector<plot::PlotScene> scenes;
    const double most = sheet.contentHeight() - kFoot;
    for (const auto* figure : figuresOf(report)) {
        auto scene = drawFigure(*figure, plot::paperTheme(), sheet.contentWidth());
        // One that would be higher than a page is as high as one, where its kind can be.
        if (scene.height > most)
            scene = drawFigure(*figure, plot::paperTheme(), sheet.contentWidth(), most);
        scenes.push_back(std::move(scene));
    }
    return scenes;
}

QByteArray placeholder(std::size_t figure) {
    return "[[figure " + QByteArray::number(static_cast<qulonglong>(figure)) + "]]";
}

// Puts figures in the place of their placeholders.
void insertFigures(QTextDocument& document, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        QTextCursor cursor = document.find(QString::fromLatin1(placeholder(i)));
        if (cursor.isNull())
            continue;
        QTextCharFormat format;
        format.setObjectType(kFigureObject);
        format.setProperty(kFigureIndex, static_cast<int>(i));
        cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
}

// All of it, since Qt moves what follows a change only in part.
void layOutAgain(QTextDocument& document) {
    document.setPageSize(document.pageSize());
}

// A heading whose text begins on the next page goes there too.
void keepHeadingsWithText(QTextDocument& document) {
    const double height = document.pageSize().height();
    const auto* layout = document.documentLayout();
    const auto pageOf
        = [height](double y) { return static_cast<int>(std::floor(std::max(0.0, y) / height)); };
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 || !block.next().isValid())
            continue;
        QTextBlock text = block.next();
        while (text.blockFormat().headingLevel() > 0 && text.next().isValid())
            text = text.next();
        const int page = pageOf(layout->blockBoundingRect(block).top());
        if (page == pageOf(layout->blockBoundingRect(text).bottom()))
            continue;
        QTextBlockFormat format = block.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(block).setBlockFormat(format);
        layOutAgain(document);
    }
}

// A figure of the overview that is little too high for the rest of the first page is made smaller;
// its texts stay legible.
void keepOnFirstPage(QTextDocument& document, FigureObject& figures, std::size_t count) {
    constexpr double least = 0.82;
    const double page = document.pageSize().height();
    const auto* layout = document.documentLayout();
    double end = 0.0; // bottom of the last block on the first page
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const QRectF rect = layout->blockBoundingRect(block);
        if (rect.bottom() <= page) {
            end = rect.bottom();
            continue;
        }
        const auto format = block.begin().fragment().charFormat();
        const std::size_t figure = figureOf(format);
        const double rest = page - end - kFoot;
        if (format.objectType() == kFigureObject && figure < count
            && rest >= least * figures.heightOf(figure)) {
            figures.setMost(figure, rest);
            layOutAgain(document);
        }
        return;
    }
}

void paintFoot(
    QPainter& painter, const report::Report& report, const Sheet& sheet, int page, int pages) {
    painter.setFont(themeFont(plot::paperTheme(), plot::TextRole::Small, false));
    painter.setPen(QColor(0x33, 0x33, 0x33));
    const QRectF foot(kReportMargin, sheet.height - kReportMargin, sheet.contentWidth(), kFoot);
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop,
        QStringLiteral("Trainscope " TRAINSCOPE_VERSION " · ")
            + QString::fromStdString(report.title));
    painter.drawText(
        foot, Qt::AlignRight | Qt::AlignTop, QStringLiteral("%1 of %2").arg(page + 1).arg(pages));
}

void paintPages(QPdfWriter& writer, QPainter& painter, QTextDocument& document,
    const report::Report& report, const Sheet& sheet) {
    const int pages = document.pageCount();
    const double height = document.pageSize().height();
    for (int page = 0; page < pages; ++page) {
        if (page > 0)
            writer.newPage();
        painter.save();
        painter.translate(kReportMargin, kReportMargin - page * height);
        const QRectF visible(0.0, page * height, sheet.contentWidth(), height);
        painter.setClipRect(visible);
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = visible;
        context.palette.setColor(QPalette::Text, Qt::black);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        paintFoot(painter, report, sheet, page, pages);
    }
}

} // namespace

Result<QByteArray> reportPdf(const report::Report& report, Paper paper) {
    const Sheet sheet = sheetOf(paper);
    FigureObject figures(drawAll(report, sheet), plot::paperTheme(), sheet.contentHeight() - kFoot);
    QTextDocument document;
    document.setDocumentMargin(0.0);
    document.setIndentWidth(kIndent);
    document.setUseDesignMetrics(true);
    document.setDefaultFont(themeFont(plot::paperTheme(), plot::TextRole::Body, false));
    document.setDefaultStyleSheet(QString::fromLatin1(kDocumentStyle));
    document.documentLayout()->registerHandler(kFigureObject, &figures);
    document.setHtml(QString::fromUtf8(reportBody(
        report, [](std::size_t i) { return "<p>" + placeholder(i) + "</p>\n"; }, true)));
    insertFigures(document, figuresOf(report).size());
    document.setPageSize(QSizeF(sheet.contentWidth(), sheet.contentHeight()));
    keepOnFirstPage(document, figures, report.overview.size());
    keepHeadingsWithText(document);
    QString sources = QStringLiteral("Sources:");
    for (const auto& hash : report.hashes)
        sources += QLatin1Char(' ') + QString::fromStdString(hash);
    return paintPdf(
        {sheet.width, sheet.height, QString::fromStdString(report.title),
            report.hashes.empty() ? QString() : sources, QStringLiteral("Trainscope, report")},
        [&](QPdfWriter& writer, QPainter& painter) {
            paintPages(writer, painter, document, report, sheet);
        });
}

} // namespace trainscope::app

#include "ReportPdf.moc"
