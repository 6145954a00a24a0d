#pragma once
// A question that takes seconds: it tells how far it is, can be stopped, and its last asking
// counts. GUI thread; the question itself runs on a reader thread.

#include "app/viewmodels/workspace/ReaderTask.h"

#include <functional>
#include <memory>
#include <utility>

namespace trainscope::app {

template <typename T>
class LongTask {
public:
    using Question = std::function<Result<T>(const store::Store&, const Progress&)>;
    using Told = std::function<void(double fraction)>; // −1: not known
    using Done = std::function<void(Result<T>)>;

    void ask(ReaderPool& pool, Question question, Told told, Done done) {
        m_isRunning = true;
        m_task.start(
            pool,
            [this, question = std::move(question), told = std::move(told), done](
                const store::Store& store, const TaskStage<Reply>& stage) {
                const auto report = [&stage, &told](const ProgressState& state) {
                    stage.publish(Reply([told, at = fractionOf(state)] { told(at); }));
                };
                auto made = std::make_shared<Result<T>>(question(store, stage.progress(report)));
                stage.publish(Reply([this, made, done] {
                    m_isRunning = false;
                    done(std::move(*made));
                }));
            },
            [this, done](const Result<Reply>& reply) {
                if (reply.hasValue())
                    return reply.value()();
                m_isRunning = false;
                done(reply.error());
            });
    }
    // Nothing comes of what was asked.
    void cancel() {
        m_task.cancel();
        m_isRunning = false;
    }
    [[nodiscard]] bool isRunning() const { return m_isRunning; }

private:
    using Reply = std::function<void()>; // for the GUI thread

    LatestTask<Reply> m_task{Urgency::Background};
    bool m_isRunning = false;
};

} // namespace trainscope::app
