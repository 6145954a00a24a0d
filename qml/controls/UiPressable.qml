import QtQuick
import QtQuick.Templates as T

// A button that Enter and a screen reader press as the pointer does.
T.Button {
    id: button

    property string shortcutText: ""

    focusPolicy: Qt.StrongFocus
    Accessible.name: text
    Keys.onReturnPressed: button.press()
    Keys.onEnterPressed: button.press()
    Accessible.onPressAction: button.press()

    function press() {
        if (button.checkable) {
            button.toggle();
            button.toggled();
        }
        button.clicked();
    }
}
