#pragma once
// The export of what a view shows: choices of the dialog, and the work in a thread of its own that
// can be cancelled. GUI thread.

#include "app/painting/FigureExport.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Task.h"

#include <QImage>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QQmlEngine>
#include <QQuickPaintedItem>
#include <QStringList>
#include <QUrl>

namespace trainscope::app {

class FigureExporter : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Exportable* source READ source WRITE setSource NOTIFY sourceChanged
            REQUIRED FINAL)
    // Size of the view, logical pixels, for "as on screen".
    Q_PROPERTY(double viewWidth MEMBER m_viewWidth NOTIFY viewChanged FINAL)
    Q_PROPERTY(double viewHeight MEMBER m_viewHeight NOTIFY viewChanged FINAL)

    // The view is dark, for "as on screen".
    Q_PROPERTY(bool viewDark MEMBER m_viewDark NOTIFY viewChanged FINAL)

    // Choices by index into these texts.
    Q_PROPERTY(QStringList formats READ formats CONSTANT FINAL)
    Q_PROPERTY(QStringList presets READ presets CONSTANT FINAL)
    Q_PROPERTY(QStringList themes READ themes CONSTANT FINAL)
    Q_PROPERTY(int format READ format WRITE setFormat NOTIFY optionsChanged FINAL)
    Q_PROPERTY(int preset READ preset WRITE setPreset NOTIFY optionsChanged FINAL)
    Q_PROPERTY(int theme READ theme WRITE setTheme NOTIFY optionsChanged FINAL)
    Q_PROPERTY(bool drawn READ isDrawn NOTIFY optionsChanged FINAL) // not CSV
    Q_PROPERTY(bool raster READ isRaster NOTIFY optionsChanged FINAL) // PNG
    Q_PROPERTY(double widthMm READ widthMm WRITE setWidthMm NOTIFY optionsChanged FINAL)
    Q_PROPERTY(
        double heightMm READ heightMm WRITE setHeightMm NOTIFY optionsChanged FINAL) // 0: free
    // As many pages of that size as are needed, of a PDF.
    Q_PROPERTY(bool inPages READ inPages WRITE setInPages NOTIFY optionsChanged FINAL)
    Q_PROPERTY(bool pageable READ isPageable NOTIFY optionsChanged FINAL) // a PDF of known size
    // Titles of the parts that can be left out, and which of them are taken; one at least.
    Q_PROPERTY(QStringList parts READ parts NOTIFY partsChanged FINAL)
    Q_PROPERTY(QList<bool> partsTaken READ partsTaken NOTIFY partsTakenChanged FINAL)
    // "178 × 121 mm", "210 × 297 mm, 3 pages"; empty while there is no picture of the file.
    Q_PROPERTY(QString previewText READ previewText NOTIFY previewChanged FINAL)
    Q_PROPERTY(bool previewing READ isPreviewing NOTIFY previewChanged FINAL) // it is being made
    Q_PROPERTY(int dpi MEMBER m_dpi NOTIFY optionsChanged FINAL)
    Q_PROPERTY(QString path READ path WRITE setPath NOTIFY pathChanged FINAL)
    Q_PROPERTY(QUrl folder READ folder NOTIFY pathChanged FINAL)
    // A file is there that exportNow() would replace; told soon after the path changed.
    Q_PROPERTY(bool overwrites READ overwrites NOTIFY overwritesChanged FINAL)

    Q_PROPERTY(bool running READ isRunning NOTIFY stateChanged FINAL)
    Q_PROPERTY(QStringList warnings READ warnings NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString lastError READ lastError NOTIFY stateChanged FINAL)
    Q_PROPERTY(
        QString lastPath READ lastPath NOTIFY stateChanged FINAL) // written; empty: nothing yet

public:
    explicit FigureExporter(QObject* parent = nullptr);
    ~FigureExporter() override;

    [[nodiscard]] Exportable* source() const { return m_source; }
    void setSource(Exportable* source);

    [[nodiscard]] QStringList formats() const;
    [[nodiscard]] QStringList presets() const;
    [[nodiscard]] QStringList themes() const {
        return {QStringLiteral("Paper"), QStringLiteral("Light"), QStringLiteral("Dark")};
    }
    [[nodiscard]] int format() const { return m_format; }
    [[nodiscard]] int preset() const { return m_preset; }
    [[nodiscard]] int theme() const { return m_theme; }
    [[nodiscard]] double widthMm() const { return m_widthMm; }
    [[nodiscard]] double heightMm() const { return m_heightMm; }
    [[nodiscard]] QString path() const { return m_path; }
    [[nodiscard]] QUrl folder() const;
    [[nodiscard]] bool overwrites() const { return m_overwrites; }
    [[nodiscard]] bool isDrawn() const { return m_format != kCsv; }
    [[nodiscard]] bool isRaster() const { return m_format == kPng; }
    void setFormat(int format);
    void setPreset(int preset);
    void setTheme(int theme);
    void setWidthMm(double width) { setSize(m_widthMm, width); }
    void setHeightMm(double height) { setSize(m_heightMm, height); }
    void setPath(const QString& path);

    [[nodiscard]] bool inPages() const { return m_inPages && isPageable(); }
    void setInPages(bool pages);
    [[nodiscard]] bool isPageable() const { return m_format == kPdf && m_heightMm > 0.0; }
    [[nodiscard]] QStringList parts() const { return listOf(m_parts, &ExportPart::title); }
    [[nodiscard]] QList<bool> partsTaken() const;
    Q_INVOKABLE void takePart(int part, bool taken);
    [[nodiscard]] const QImage& preview() const { return m_preview.image; } // the first page
    [[nodiscard]] QString previewText() const { return m_preview.text; }
    [[nodiscard]] bool isPreviewing() const { return m_previewTask.isRunning(); }

    [[nodiscard]] bool isRunning() const { return m_task.isRunning(); }
    [[nodiscard]] QStringList warnings() const { return m_outcome.warnings; }
    [[nodiscard]] QString lastError() const { return m_outcome.error; }
    [[nodiscard]] QString lastPath() const {
        return m_outcome.error.isEmpty() ? m_outcome.path : QString();
    }

    // Suggests a name in the last folder, soon; forgets what the last export said.
    Q_INVOKABLE void prepare();
    Q_INVOKABLE void choose(const QUrl& file);
    // Writes to `path`; the suffix decides the format, and is added where there is none. A name
    // alone lies in the last folder, and ~ is the home folder.
    Q_INVOKABLE void exportNow() { exportTo(m_path); }
    void exportTo(const QString& path) { start(path, Replace::Any); }
    // The same, but asked() comes instead where a file is there that the last export did not write.
    Q_INVOKABLE void exportOrAsk() { start(m_path, Replace::Own); }
    Q_INVOKABLE void cancel() { m_task.stop(); }

Q_SIGNALS:
    void sourceChanged();
    void viewChanged();
    void optionsChanged();
    void pathChanged();
    void overwritesChanged();
    void stateChanged();
    void partsChanged();
    void partsTakenChanged();
    void previewChanged();
    void finished(bool written);
    void asked();

private:
    static constexpr int kPdf = 0;
    static constexpr int kPng = 2;
    static constexpr int kCsv = 3;

    enum class Replace { Any, Own };
    struct Outcome {
        QString path;
        QStringList warnings;
        QString error;
        bool isAsking = false; // nothing was written, for a file is there
    };
    // Options of the file, and parts of the figure by their keys.
    struct Wish {
        FigureOptions options;
        std::vector<std::string> parts;
    };
    struct Preview {
        QImage image;
        QString text;
    };
    static Outcome outcomeOf(const ExportJob& job, const QString& path, const Wish& wish,
        const std::function<bool()>& stop);
    static Result<Preview> previewOf(
        const ExportJob& job, const Wish& wish, const Progress& progress);
    void makePreview();
    void readParts(const std::vector<ExportPart>& parts);
    [[nodiscard]] Wish wish() const;
    void start(const QString& typed, Replace replace);
    void takeOutcome(const Outcome& outcome);
    void takeFolder(const QString& folder);
    void setOverwrites(bool overwrites);
    void lookForFile();
    [[nodiscard]] bool isAsOnScreen() const {
        return m_preset == static_cast<int>(figurePresets().size());
    }
    void setSize(double& side, double mm);
    [[nodiscard]] FigureOptions options() const;

    QPointer<Exportable> m_source;
    double m_viewWidth = 0.0;
    double m_viewHeight = 0.0;
    bool m_viewDark = false;
    int m_format = 0;
    int m_preset = 0;
    int m_theme = 0;
    double m_widthMm = 0.0;
    double m_heightMm = 0.0;
    bool m_inPages = false;
    std::vector<ExportPart> m_parts;
    int m_dpi = 300;
    QString m_path;
    QString m_folder; // folder for file names without one; empty: not known yet
    QString m_suggestion; // the name of a file that waits for its folder
    bool m_overwrites = false;
    Task<QString> m_folderTask{Asking::InTurn};
    Task<bool> m_fileTask{Asking::InTurn};
    Outcome m_outcome; // result of the last export
    Task<Outcome> m_task;
    Preview m_preview;
    Task<Preview> m_previewTask{Asking::InTurn};
};

// The picture of the file that an exporter would write, as large as fits. It takes no focus.
class ExportPreview : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::FigureExporter* exporter READ exporter WRITE setExporter NOTIFY
            exporterChanged REQUIRED FINAL)

public:
    explicit ExportPreview(QQuickItem* parent = nullptr);

    [[nodiscard]] FigureExporter* exporter() const { return m_exporter; }
    void setExporter(FigureExporter* exporter);
    void paint(QPainter* painter) override;

Q_SIGNALS:
    void exporterChanged();

private:
    QPointer<FigureExporter> m_exporter;
};

} // namespace trainscope::app
