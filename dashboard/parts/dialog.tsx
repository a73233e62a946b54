/** Modal dialogs for forms and confirmations. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useState } from 'react'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
  /** Keeps the dialog open on a click outside, so that typed text is not lost. */
  readonly isKept?: boolean
}

export function Dialog({ title, onClose, children, isWide = false, isKept = false }: DialogProps) {
  return (
    <Base.Root open disablePointerDismissal={isKept} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${isWide ? 'wide' : ''}`}>
          <Base.Title className="dialog-title">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface FormDialogProps extends Omit<DialogProps, 'children'> {
  readonly action: string
  readonly isBad?: boolean
  readonly isBusy: boolean
  readonly failure: ReactNode
  readonly onSubmit: (form: FormData) => void
  readonly children?: ReactNode
}

/** Returns whether an open dialog contains typed text, which is lost when the page changes. */
export function isFormTyped(): boolean {
  return document.querySelector('.dialog-form[data-typed]') !== null
}

/** Makes the browser ask before a reload or closing the tab discards a form. */
addEventListener('beforeunload', (event) => {
  if (isFormTyped()) event.preventDefault()
})

/** A dialog with fields or a question, and one submit button. `Esc` asks before it discards typed text. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isBad = false, isBusy, failure, onClose, onSubmit, children, isWide } = props
  const [isAsking, setAsking] = useState(false)
  const leave = () => (isAsking ? setAsking(false) : isFormTyped() ? setAsking(true) : onClose())
  return (
    <Dialog title={title} onClose={leave} isWide={isWide ?? false} isKept>
      <form
        className="dialog-form"
        onInput={({ currentTarget }) => {
          currentTarget.dataset.typed = ''
        }}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(new FormData(event.currentTarget))
        }}
      >
        {children}
        {failure}
        {isAsking ? (
          <div className="dialog-actions" role="alert">
            <span className="grow">Discard your changes?</span>
            <button type="button" className="button bad" onClick={onClose}>
              Discard
            </button>
            {/* biome-ignore lint/a11y/noAutofocus: it responds to Esc. */}
            <button type="button" className="button plain" autoFocus onClick={() => setAsking(false)}>
              Keep editing
            </button>
          </div>
        ) : (
          <div className="dialog-actions">
            <button type="button" className="button plain" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" className={`button ${isBad ? 'bad' : 'main'}`} disabled={isBusy}>
              {action}
            </button>
          </div>
        )}
      </form>
    </Dialog>
  )
}

/** A labelled control with an optional hint. */
export function Field({ label, hint, children }: { label: ReactNode; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="field">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children. */}
      <label>
        <span>{label}</span>
        {children}
      </label>
      {hint === undefined ? null : <small className="dim">{hint}</small>}
    </div>
  )
}
