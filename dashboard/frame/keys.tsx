import { Dialog } from '../parts/dialog.js'

const keys: readonly (readonly [string, string])[] = [
  ['⌘K or Ctrl K', 'go to a page, collection or command'],
  ['j, k, ↓, ↑', 'next or previous row'],
  ['Home, End', 'first or last row'],
  ['Enter', 'open the selected row'],
  ['Esc', 'close or go back'],
  ['/', 'filter'],
  ['n', 'new'],
  ['⌘S or Ctrl S', 'save'],
  ['⌘J or Ctrl J', 'change between form and JSON'],
  ['F2', 'edit a cell of the selected row'],
  ['Shift ←, Shift →', 'narrow or widen the column whose head has the focus'],
  ['⌘Z or Ctrl Z', 'undo'],
  ['?', 'show these keys'],
]

export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
