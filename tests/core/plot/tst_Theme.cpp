// Colours: the fixed ones of the look, contrast by WCAG, and the magnitudes' scales.

#include "core/plot/Palette.h"
#include "core/plot/Theme.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;

class tst_Theme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void contrastOfKnownPairs() {
        QVERIFY(std::abs(contrast(rgb(0x000000), rgb(0xFFFFFF)) - 21.0) < 1e-9);
        QVERIFY(std::abs(contrast(rgb(0x777777), rgb(0x777777)) - 1.0) < 1e-9);
        // #767676 on white is the well-known limit of 4.5.
        QVERIFY(std::abs(contrast(rgb(0x767676), rgb(0xFFFFFF)) - 4.54) < 0.01);
    }

    void textReadsInEveryTheme_data() {
        const auto row = trainscope::test::columns<QString>("name");
        for (const char* name : {"dark", "light", "paper"})
            row(name, QString::fromLatin1(name));
    }
    void textReadsInEveryTheme() {
        QFETCH(QString, name);
        const Theme* theme = findTheme(name.toStdString());
        QVERIFY(theme != nullptr);
        for (const Color surface : {theme->window, theme->panel, theme->raised}) {
            for (const Color text :
                {theme->text, theme->textSecondary, theme->textMuted, theme->warning})
                QVERIFY(contrast(text, surface) >= 4.5);
        }
    }

    void textReadsOnEveryFill() {
        std::vector<Color> fills;
        for (std::size_t i = 0; i < 8; ++i)
            fills.push_back(seriesColor(i));
        for (const char* category : {"gemm", "attention", "all_reduce", "all_gather", "all_to_all",
                 "broadcast", "communication", "send_recv", "normalisation", "elementwise",
                 "optimizer", "copy", "idle"})
            fills.push_back(categoryColor(category));
        for (int percent = 0; percent <= 100; ++percent) {
            fills.push_back(inferno(percent / 100.0));
            fills.push_back(viridis(percent / 100.0));
        }
        for (const Color fill : fills)
            QVERIFY(contrast(readableOn(fill), fill) >= 4.5);
    }

    // Names of runs are written in their colour, made legible.
    void seriesReadAsText() {
        for (const Theme* theme : {&darkTheme(), &lightTheme(), &paperTheme()}) {
            for (std::size_t i = 0; i < 8; ++i) {
                for (const Color surface : {theme->window, theme->panel, theme->raised})
                    QVERIFY(contrast(legibleOn(seriesColor(i), surface, 4.5), surface) >= 4.5);
            }
        }
    }

    void seriesStandOutInEveryTheme() {
        for (const Theme* theme : {&darkTheme(), &lightTheme(), &paperTheme()}) {
            for (std::size_t i = 0; i < 8; ++i)
                QVERIFY(contrast(legibleOn(seriesColor(i), theme->window), theme->window) >= 3.0);
        }
    }

    void categoriesHaveTheLooksColours_data() {
        const auto row = trainscope::test::columns<QString, uint>("category", "color");
        row("gemm", "gemm", 0x4477AAU);
        row("attention", "attention", 0x66CCEEU);
        row("all-reduce", "all_reduce", 0xEE6677U);
        row("reduce-scatter", "reduce_scatter", 0xEE6677U);
        row("send", "send_recv", 0xCCBB44U);
        row("elementwise", "elementwise", 0x9AA0AAU);
        row("optimizer", "optimizer", 0xAA3377U);
        row("copy", "copy", 0x44AA99U);
        row("idle", "idle", 0xE3E7ECU);
    }
    void categoriesHaveTheLooksColours() {
        QFETCH(QString, category);
        QFETCH(uint, color);
        QVERIFY(categoryColor(category.toStdString()) == rgb(color));
    }

    void seriesRepeatOkabeIto() {
        QVERIFY(seriesColor(0) == rgb(0x56B4E9));
        QVERIFY(seriesColor(7) == rgb(0x999999));
        QVERIFY(seriesColor(9) == seriesColor(1));
    }

    void metricsKeepTheirColour() {
        QVERIFY(metricColor("nvlink_rx") == metricColor("nvlink_rx_rate"));
        QVERIFY(!(metricColor("gpu_power") == metricColor("gpu_temperature")));
        QVERIFY(metricColor("something_new") == metricColor("something_new"));
    }

    void magnitudesAreClamped() {
        QVERIFY(inferno(-1.0) == rgb(0x000004));
        QVERIFY(inferno(2.0) == rgb(0xFCFFA4));
        QVERIFY(inferno(std::nan("")) == rgb(0x000004));
        QVERIFY(viridis(0.0) == rgb(0x440154));
        QVERIFY(viridis(1.0) == rgb(0xFDE725));
        // A ninth of the way is exactly the second of ten stops.
        QVERIFY(viridis(1.0 / 9.0) == rgb(0x482878));
    }

    void textOnColour() {
        QVERIFY(readableOn(rgb(0xFDE725)) == rgb(0x0B0D10));
        QVERIFY(readableOn(rgb(0x440154)) == rgb(0xFFFFFF));
    }

    void unknownThemes() {
        QVERIFY(findTheme("sepia") == nullptr);
        QVERIFY(findTheme("") == nullptr);
    }
};

TRAINSCOPE_TEST(tst_Theme)
#include "tst_Theme.moc"
