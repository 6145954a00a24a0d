// A late answer never replaces a newer one.

#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/workspace/Task.h"
#include "support/TestProgram.h"

#include <barrier>
#include <deque>

using app::Asking;
using app::ReaderPool;
using app::Task;
using app::TaskStage;

class tst_ReaderPool : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;

private Q_SLOTS:
    void initTestCase() {
        m_path = test::writeTimelineDatabase(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
    }
    void onlyTheLastAnswerArrives() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        Task<int> task;
        QSemaphore begun;
        QSemaphore go;
        QSemaphore over;
        std::vector<int> answers;
        bool sawCancel = false;
        task.start(
            pool,
            [&](const store::Store&, const TaskStage<int>& stage) {
                begun.release();
                go.acquire();
                sawCancel = stage.isCancelled();
                stage.publish(1);
                over.release();
            },
            [&](Result<int> answer) { answers.push_back(answer.value()); });
        begun.acquire();
        task.start(
            pool, [&](const store::Store&, const TaskStage<int>& stage) { stage.publish(2); },
            [&](Result<int> answer) { answers.push_back(answer.value()); });
        go.release();
        QTRY_COMPARE(answers.size(), std::size_t{1});
        over.acquire();
        QCoreApplication::processEvents();
        QVERIFY(sawCancel);
        QCOMPARE(answers, std::vector<int>{2});
    }
    void coarseAnswersComeBeforeTheExactOne() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        Task<int> task;
        std::vector<int> answers;
        task.start(
            pool,
            [](const store::Store&, const TaskStage<int>& stage) {
                stage.publish(1);
                stage.publish(2);
            },
            [&](Result<int> answer) { answers.push_back(answer.value()); });
        QTRY_COMPARE(answers, (std::vector<int>{1, 2}));
    }
    void readsOnItsOwnThread() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        Task<std::size_t> task;
        QThread* thread = nullptr;
        std::size_t runs = 0;
        task.start(
            pool,
            [&](const store::Store& store, const TaskStage<std::size_t>& stage) {
                thread = QThread::currentThread();
                stage.publish(store.runs().value().size());
            },
            [&](Result<std::size_t> answer) { runs = answer.value(); });
        QTRY_COMPARE(runs, std::size_t{2});
        QVERIFY(thread != QThread::currentThread());
    }
    void aDatabaseThatIsNotThereIsAnError() {
        ReaderPool pool;
        pool.setDatabase(m_path.parent_path() / "missing.trainscope");
        Task<int> task;
        std::string message;
        task.start(
            pool, [](const store::Store&, const TaskStage<int>& stage) { stage.publish(1); },
            [&](Result<int> answer) {
                if (!answer.hasValue())
                    message = answer.error().describe();
            });
        QTRY_VERIFY(!message.empty());
    }
    // A file that was away for a while: threads that could not open it try again.
    void aDatabaseThatComesBackIsRead() {
        const auto path = m_path.parent_path() / "away.trainscope";
        ReaderPool pool;
        pool.setDatabase(path);
        const auto answers = [&pool] {
            int good = 0;
            int all = 0;
            std::barrier together(ReaderPool::kThreads); // all threads take some
            std::deque<Task<int>> tasks;
            for (int i = 0; i < 2 * ReaderPool::kThreads; ++i)
                tasks.emplace_back(app::Urgency::Pointer)
                    .start(
                        pool,
                        [&together](const store::Store&, const TaskStage<int>& stage) {
                            together.arrive_and_wait();
                            stage.publish(1);
                        },
                        [&](const Result<int>& answer) {
                            good += answer.hasValue() ? 1 : 0;
                            ++all;
                        });
            const int asked = static_cast<int>(tasks.size());
            return QTest::qWaitFor([&] { return all == asked; }) ? good : -1;
        };
        QCOMPARE(answers(), 0);
        std::filesystem::copy_file(m_path, path);
        QCOMPARE(answers(), 2 * ReaderPool::kThreads);
    }
    void aDroppedTaskAnswersNobody() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        bool answered = false;
        QSemaphore begun;
        QSemaphore go;
        QSemaphore over;
        {
            Task<int> task;
            task.start(
                pool,
                [&](const store::Store&, const TaskStage<int>& stage) {
                    begun.release();
                    go.acquire();
                    stage.publish(1);
                    over.release();
                },
                [&](Result<int>) { answered = true; });
            begun.acquire();
        }
        go.release();
        over.acquire();
        QCoreApplication::processEvents();
        QVERIFY(!answered);
    }

    // The first is under way when two more are asked: the second never runs.
    void oneAtATime_data() {
        const auto row = test::columns<Asking, std::vector<int>>("asking", "expected");
        row("steady", Asking::Steady, std::vector<int>{1, 3});
        row("in turn", Asking::InTurn, std::vector<int>{3});
    }
    void oneAtATime() {
        QFETCH(Asking, asking);
        QFETCH(std::vector<int>, expected);
        QThreadPool threads;
        Task<int> task{asking};
        QSemaphore begun;
        QSemaphore go;
        std::vector<int> answers;
        for (int i = 1; i <= 3; ++i) {
            task.ask(
                threads,
                [&, i](const TaskStage<int>&) {
                    begun.release();
                    go.acquire();
                    return i;
                },
                [&](const Result<int>& answer) { answers.push_back(answer.value()); });
            if (i == 1)
                begun.acquire();
        }
        QVERIFY(task.isRunning());
        go.release(3);
        QTRY_COMPARE(answers, expected);
        QVERIFY(!task.isRunning());
        QCOMPARE(begun.available(), 1);
        QCOMPARE(go.available(), 1);
        // The disk's cannot be hurried: the next waits for the one that nobody waits for.
        task.ask(
            threads,
            [&](const TaskStage<int>&) {
                go.acquire(2);
                return 4;
            },
            [&](const Result<int>& answer) { answers.push_back(answer.value()); });
        task.cancel();
        go.release();
        task.ask(
            threads, [](const TaskStage<int>&) { return 5; },
            [&](const Result<int>& answer) { answers.push_back(answer.value()); });
        expected.push_back(5);
        QTRY_COMPARE(answers, expected);
        task.ending().waitForFinished();
        threads.waitForDone();
    }
    // Stopped work is still answered; cancelled work is not.
    void stoppedWorkAnswers() {
        QThreadPool threads;
        Task<int> task;
        QSemaphore begun;
        std::vector<int> told;
        std::vector<int> answers;
        const auto work = [&](const TaskStage<int>& stage) {
            stage.tell([&told] { told.push_back(7); });
            begun.release();
            while (!stage.isCancelled())
                QThread::yieldCurrentThread();
            return 8;
        };
        const auto done = [&](const Result<int>& answer) { answers.push_back(answer.value()); };
        task.ask(threads, work, done);
        begun.acquire();
        task.stop();
        QTRY_COMPARE(answers, std::vector<int>{8});
        QCOMPARE(told, std::vector<int>{7});
        task.ask(threads, work, done);
        begun.acquire();
        task.cancel();
        threads.waitForDone();
        QCoreApplication::processEvents();
        QCOMPARE(answers, std::vector<int>{8});
        QCOMPARE(told, std::vector<int>{7});
    }
};

TRAINSCOPE_TEST(tst_ReaderPool)
#include "tst_ReaderPool.moc"
