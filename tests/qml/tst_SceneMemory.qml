import QtQuick
import QtTest
import Trainscope.App

// A window gives back what its scene graph keeps after so many frames, and not before it rests.
Item {
    id: root

    property int drawn: 0

    width: 100
    height: 100

    Rectangle {
        id: box

        width: 10
        height: 10
    }
    SceneMemory {
        id: memory

        window: root.Window.window
        frames: 10
    }
    Connections {
        target: root.Window.window

        function onFrameSwapped() {
            ++root.drawn;
        }
    }
    // Gives back after any frame, with the same rest: when it has, the other one would have.
    SceneMemory {
        id: eager

        window: root.Window.window
        frames: 1
    }
    SignalSpy {
        id: rested

        target: eager
        signalName: "released"
    }
    SignalSpy {
        id: released

        target: memory
        signalName: "released"
    }
    TestCase {
        name: "SceneMemory"
        when: windowShown

        function draw(frames) {
            const before = root.drawn;
            while (root.drawn < before + frames) {
                box.x = 1 - box.x;
                waitForRendering(root, 100);
            }
        }
        function test_waitsForTheFramesAndForRest() {
            draw(10);
            released.wait();
            released.clear();
            rested.clear();
            draw(5);
            rested.wait();
            compare(released.count, 0);
            draw(60);
            compare(released.count, 0);
            released.wait();
            rested.clear();
            draw(1);
            rested.wait();
            compare(released.count, 1);
        }
    }
}
