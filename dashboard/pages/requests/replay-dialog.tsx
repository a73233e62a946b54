import { useMutation } from '@tanstack/react-query'
import type { Control } from '../../../client/control.js'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import { useSendUndoably } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { pretty } from '../../parts/json.js'
import { useSession } from '../../session/context.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

export type Replayed = Awaited<ReturnType<Control['requests']['replay']>>

/** Name of the replay in the list of automatic snapshots. */
export const replays = 'requests replay,'

interface ReplayProps {
  readonly request: RequestRecord
  readonly onClose: () => void
  readonly onReplayed: (replayed: Replayed) => void
}

/** Replays a request with edits. Sends only the parts that changed. */
export function ReplayDialog({ request, onClose, onReplayed }: ReplayProps) {
  const { control } = useSession()
  const sendUndoably = useSendUndoably()
  const body = pretty(request.request.body.text ?? '')
  const replay = useMutation({
    mutationFn(form: FormData) {
      const [method = '', path = '', typed] = ['method', 'path', 'body'].map((name) => String(form.get(name) ?? ''))
      const edits = {
        ...(method === request.method ? {} : { method: method as Method }),
        ...(path === request.path ? {} : { path }),
        ...(typed === body ? {} : { body: typed }),
      }
      return sendUndoably({ by: replays, method, path, project: request.project }, async () =>
        onReplayed(await control.requests.replay({ id: request.id, ...edits })),
      )
    },
  })
  return (
    <FormDialog
      title="Edit and send again"
      action="Send"
      isWide
      isBusy={replay.isPending}
      failure={replay.error ? <Failure error={replay.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => replay.mutate(form)}
    >
      <div className="inline-form">
        <select name="method" aria-label="Method" defaultValue={request.method}>
          {methods.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </select>
        <input
          className="input mono grow"
          name="path"
          aria-label="Path"
          defaultValue={request.path}
          spellCheck={false}
        />
      </div>
      <Field label="Body" hint="Sent as the same caller, with the same key or session.">
        <textarea className="input" name="body" rows={12} defaultValue={body} spellCheck={false} />
      </Field>
    </FormDialog>
  )
}
