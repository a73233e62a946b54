import { Dialog } from '../parts/dialog.js'

const keys: readonly (readonly [string, string])[] = [
  ['⌘K or Ctrl K', 'go to a page, a collection or a command'],
  ['j, k, ↓, ↑', 'the next or the previous row'],
  ['Enter', 'open what is selected'],
  ['Esc', 'close it'],
  ['/', 'filter'],
  ['n', 'new'],
  ['⌘S or Ctrl S', 'save'],
  ['⌘Z or Ctrl Z', 'undo'],
  ['?', 'these keys'],
]

export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
