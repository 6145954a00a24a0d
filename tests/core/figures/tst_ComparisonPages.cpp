// The board of a comparison on pages: broken between panels, all of them once and in order.

#include "core/figures/comparison/ComparisonFigure.h"
#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

FigureStyle pageOf(double height) {
    FigureStyle style;
    style.theme = &paperTheme();
    style.width = 510.0;
    style.height = height;
    style.measure = fixedPitch;
    return style;
}

bool says(const PlotScene& scene, const std::string& text) {
    for (const auto& label : itemsOf<Label>(scene)) {
        if (label.text == text)
            return true;
    }
    return false;
}

} // namespace

class tst_ComparisonPages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        auto data = demoComparison();
        data.title = "A and B";
        m_data = std::make_shared<const ComparisonData>(std::move(data));
    }

    void panelsBreakBetweenPages() {
        const auto panels = shownPanels(*m_data, {});
        QVERIFY(panels.size() > 3);
        const auto figure = figures::comparisonFigure(m_data, {});
        const Picture whole = figure.draw(pageOf(0.0));
        // The highest panel decides how low a page can be; half of the board is more than that.
        const double height = 0.5 * whole.preferredHeight;
        const auto pages = figure.pages(pageOf(height));
        QVERIFY(pages.size() >= 2);
        std::size_t count = 0;
        for (std::size_t i = 0; i < pages.size(); ++i) {
            QVERIFY(pages[i].scene.height <= height + 0.5);
            QVERIFY(pages[i].warnings.empty());
            QCOMPARE(says(pages[i].scene, "A and B"), i == 0);
            count += pages[i].areas.size();
        }
        QCOMPARE(count, panels.size());
    }

    void oneThatFitsIsOnePage() {
        const auto figure = figures::comparisonFigure(m_data, {});
        const Picture whole = figure.draw(pageOf(0.0));
        const auto pages = figure.pages(pageOf(whole.preferredHeight + 1.0));
        QCOMPARE(pages.size(), std::size_t{1});
        QCOMPARE(pages[0].areas.size(), whole.areas.size());
        QVERIFY(std::abs(pages[0].scene.height - whole.preferredHeight) < 1e-6);
    }

    // Nothing can be broken: each row has a page, higher than asked where it must be, and says so.
    void aPanelThatIsHigherThanAPage() {
        const auto figure = figures::comparisonFigure(m_data, {});
        const auto pages = figure.pages(pageOf(20.0));
        QVERIFY(pages.size() > 2);
        for (const auto& page : pages)
            QCOMPARE(page.warnings.size(), std::size_t{1});
    }

    void onlyThePanelsThatAreChosen() {
        const auto figure = figures::comparisonFigure(
            m_data, {{ComparisonPanel::Bars, ComparisonPanel::Verdict}});
        const auto pages = figure.pages(pageOf(2000.0));
        QCOMPARE(pages.size(), std::size_t{1});
        QCOMPARE(pages[0].areas.size(), std::size_t{2});
    }

private:
    std::shared_ptr<const ComparisonData> m_data;
};

TRAINSCOPE_TEST(tst_ComparisonPages)
#include "tst_ComparisonPages.moc"
