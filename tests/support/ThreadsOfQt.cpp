// Order between threads that Qt makes, told to ThreadSanitizer: Qt is not instrumented and locks
// with futexes of its own, so that each value which comes by an event, a signal, a future or its
// thread pool would look like a race. The functions of Qt below stand before its own in tests under
// ThreadSanitizer. They order everything that is handed over at all, which is more than Qt does:
// races between what two events do may stay unseen, those around them do not.

#include <QFutureInterface>
#include <QObject>
#include <QRunnable>
#include <QThread>
#include <QThreadPool>

#include <dlfcn.h>

#include <functional>
#include <utility>

extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);

namespace {

char handed;

void give() {
    __tsan_release(&handed);
}

void take() {
    __tsan_acquire(&handed);
}

template <typename Function>
Function* qtsOwn(const char* symbol) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol));
}

// Is read by the thread that runs it before anything told that it was written.
class Handed : public QRunnable {
public:
    explicit Handed(QRunnable* work)
        : m_work(work) { }
    __attribute__((no_sanitize("thread"))) void run() override {
        take();
        const bool isOurs = m_work->autoDelete();
        m_work->run();
        if (isOurs)
            delete m_work;
        give();
    }

private:
    QRunnable* m_work;
};

} // namespace

bool QObject::event(QEvent* event) {
    static const auto own = qtsOwn<bool(QObject*, QEvent*)>("_ZN7QObject5eventEP6QEvent");
    take();
    const bool isDone = own(this, event);
    give();
    return isDone;
}

bool QMetaObject::invokeMethodImpl(
    QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type, void* result) {
    static const auto own
        = qtsOwn<bool(QObject*, QtPrivate::QSlotObjectBase*, Qt::ConnectionType, void*)>(
            "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14Connec"
            "tionTypeEPv");
    give();
    const bool isDone = own(object, slot, type, result);
    take(); // it waited for the other thread here
    return isDone;
}

void QMetaObject::activate(QObject* sender, const QMetaObject* of, int signal, void** arguments) {
    static const auto own = qtsOwn<void(QObject*, const QMetaObject*, int, void**)>(
        "_ZN11QMetaObject8activateEP7QObjectPKS_iPPv");
    give();
    own(sender, of, signal, arguments);
}

void QThreadPool::start(QRunnable* work, int priority) {
    static const auto own
        = qtsOwn<void(QThreadPool*, QRunnable*, int)>("_ZN11QThreadPool5startEP9QRunnablei");
    auto* const task = new Handed(work);
    give();
    own(this, task, priority);
}

void QThreadPool::start(std::function<void()> work, int priority) {
    start(QRunnable::create(std::move(work)), priority);
}

bool QThread::wait(QDeadlineTimer deadline) {
    static const auto own
        = qtsOwn<bool(QThread*, QDeadlineTimer)>("_ZN7QThread4waitE14QDeadlineTimer");
    const bool isOver = own(this, deadline);
    take();
    return isOver;
}

void QFutureInterfaceBase::setContinuation(std::function<void(const QFutureInterfaceBase&)> next) {
    static const auto own
        = qtsOwn<void(QFutureInterfaceBase*, std::function<void(const QFutureInterfaceBase&)>)>(
            "_ZN20QFutureInterfaceBase15setContinuationESt8functionIFvRKS_EE");
    give();
    own(this, std::move(next));
}

void QFutureInterfaceBase::setContinuation(
    std::function<void(const QFutureInterfaceBase&)> next, QFutureInterfaceBasePrivate* future) {
    static const auto own
        = qtsOwn<void(QFutureInterfaceBase*, std::function<void(const QFutureInterfaceBase&)>,
            QFutureInterfaceBasePrivate*)>("_ZN20QFutureInterfaceBase15setContinuationESt8functionI"
                                           "FvRKS_EEP27QFutureInterfaceBasePrivate");
    give();
    own(this, std::move(next), future);
}

void QFutureInterfaceBase::runContinuation() const {
    static const auto own = qtsOwn<void(const QFutureInterfaceBase*)>(
        "_ZNK20QFutureInterfaceBase15runContinuationEv");
    take();
    own(this);
}

void QFutureInterfaceBase::reportFinished() {
    static const auto own
        = qtsOwn<void(QFutureInterfaceBase*)>("_ZN20QFutureInterfaceBase14reportFinishedEv");
    give();
    own(this);
}

void QFutureInterfaceBase::waitForFinished() {
    static const auto own
        = qtsOwn<void(QFutureInterfaceBase*)>("_ZN20QFutureInterfaceBase15waitForFinishedEv");
    own(this);
    take();
}

// The last one to let go of a result deletes it.
bool QFutureInterfaceBase::derefT() const noexcept {
    static const auto own
        = qtsOwn<bool(const QFutureInterfaceBase*)>("_ZNK20QFutureInterfaceBase6derefTEv");
    give();
    const bool isHeld = own(this);
    take();
    return isHeld;
}
