import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The text of the query. Ctrl+Enter asks it, or what is selected of it; Esc stops.
FocusScope {
    id: editor

    required property QueryController controller
    readonly property string wanted: area.selectedText !== "" ? area.selectedText.replace(/\u2029/g, "\n") : area.text

    // These can be undone in the editor; restore() is another database.
    function replaceAll(sql: string) {
        area.remove(0, area.length);
        area.insert(0, sql);
        area.cursorPosition = area.length;
        area.forceActiveFocus(Qt.OtherFocusReason);
    }
    function insertName(name: string) {
        area.remove(area.selectionStart, area.selectionEnd);
        area.insert(area.cursorPosition, name);
        area.forceActiveFocus(Qt.OtherFocusReason);
    }
    function restore(sql: string) {
        if (area.text !== sql)
            area.text = sql;
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    Flickable {
        anchors.fill: parent
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        UiScrollBar.vertical: UiScrollBar {}

        T.TextArea.flickable: T.TextArea {
            id: area

            objectName: "editor"
            leftPadding: Theme.spaceM
            rightPadding: Theme.spaceM
            topPadding: Theme.spaceS
            bottomPadding: Theme.spaceS
            focus: true
            activeFocusOnTab: true
            selectByMouse: true
            wrapMode: TextEdit.Wrap
            textFormat: TextEdit.PlainText
            color: Theme.text
            selectionColor: Theme.accent
            selectedTextColor: Theme.onAccent
            font.family: editor.controller.editorFont
            font.pixelSize: Theme.bodySize
            renderType: Text.NativeRendering
            onTextChanged: editor.controller.sql = area.text
            Accessible.role: Accessible.EditableText
            Accessible.name: "SQL"
            Accessible.multiLine: true
            Keys.onPressed: event => {
                const isEnter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
                event.accepted = true;
                if (isEnter && event.modifiers & Qt.ControlModifier)
                    editor.controller.run(editor.wanted);
                else if (event.key === Qt.Key_Escape && (editor.controller.loading || editor.controller.exporting))
                    editor.controller.stop();
                else if (event.key === Qt.Key_Tab)
                    area.nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason);
                else
                    event.accepted = false;
            }

            UiText {
                x: area.leftPadding
                y: area.topPadding
                visible: area.text === "" && area.preeditText === ""
                text: "SELECT … FROM samples   Ctrl+Enter runs it"
                font.family: area.font.family
                color: Theme.textSecondary
                Accessible.ignored: true
            }
        }
    }
    UiFocusRing {
        control: area
        anchors.margins: 0
        opacity: 0.5
    }
}
