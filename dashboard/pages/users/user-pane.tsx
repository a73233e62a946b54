import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { type AppUser, SvcError } from '../../../client/index.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { Failure } from '../../live/failure.js'
import { Query } from '../../live/query.js'
import { Button, Copy, writeText } from '../../parts/button.js'
import { JsonText } from '../../parts/json.js'
import { Facts, Pane } from '../../parts/layout.js'
import { Menu } from '../../parts/menu.js'
import { isMissing } from '../../parts/states.js'
import { emulatorNow, Time } from '../../parts/time.js'
import { wordsIn } from '../../parts/words.js'
import { useSession } from '../../session/context.js'
import { lazyPart } from '../../session/scripts.js'

export function UserPane({ id, onClose }: { id: string; onClose: () => void }) {
  const { owner } = useSession()
  const query = useQuery({ queryKey: ['users', 'one', id], queryFn: () => owner.users.get(id) })
  const { data: user, error } = query
  return (
    <Pane
      title={<bdi>{user?.email ?? '…'}</bdi>}
      facts={
        user ? (
          <>
            {user.id} · <Copy text={user.id} label="copy id" />
          </>
        ) : (
          ''
        )
      }
      onClose={onClose}
      foot={user && !isMissing(error) ? <Foot user={user} onClose={onClose} /> : null}
    >
      <Query query={query} gone={{ what: 'user', back: 'All users', onBack: onClose }}>
        {(found) => <Details user={found} />}
      </Query>
    </Pane>
  )
}

function Details({ user }: { user: AppUser }) {
  const { control } = useSession()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const change = (what: Parameters<typeof control.users.update>[0], onDone?: () => void) =>
    run(async () => {
      await control.users.update(what)
      await queries.invalidateQueries({ queryKey: ['users'] })
      onDone?.()
    })
  return (
    <>
      <Facts
        rows={[
          [
            'roles',
            <Roles
              key="roles"
              user={user}
              isBusy={isBusy}
              onSave={(roles, onSaved) => change({ user: user.id, roles }, onSaved)}
            />,
          ],
          [
            'verified',
            user.emailVerified ? 'yes' : 'no',
            <button
              key="verified"
              type="button"
              className="link"
              disabled={isBusy}
              onClick={() => change({ user: user.id, emailVerified: !user.emailVerified })}
            >
              {user.emailVerified ? 'mark as not verified' : 'verify'}
            </button>,
          ],
          ['logs in with', user.oauthId === null ? 'password' : `provider, as ${user.oauthId}`],
          ['created', <Time key="created" at={user.createdAt} />],
          ['changed', <Time key="changed" at={user.updatedAt} />],
        ]}
      />
      <SecondFactor user={user} />
      <h3 className="section">Data</h3>
      <JsonText text={JSON.stringify(user.data, undefined, 2)} />
      <p className="padded">
        <Link className="link" href={`/requests?user=${user.id}`}>
          Requests of this user
        </Link>{' '}
        ·{' '}
        <Link className="link" href="/mail">
          Mail
        </Link>
      </p>
    </>
  )
}

interface RolesProps {
  readonly user: AppUser
  readonly isBusy: boolean
  readonly onSave: (roles: string[], onSaved: () => void) => void
}

/** Shows the stored roles until the user edits them. */
function Roles({ user, isBusy, onSave }: RolesProps) {
  const [typed, setTyped] = useState<string>()
  const stored = user.roles.join(' ')
  const text = typed ?? stored
  const isChanged = wordsIn(text).join(' ') !== stored
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        // Keep text that was typed during the save.
        onSave(wordsIn(text), () => setTyped((now) => (now === text ? undefined : now)))
      }}
    >
      <input
        className="input mono grow"
        aria-label="Roles"
        value={text}
        placeholder="none"
        onChange={({ target }) => setTyped(target.value)}
      />
      {isChanged ? (
        <Button type="submit" disabled={isBusy}>
          Save
        </Button>
      ) : null}
    </form>
  )
}

const stepSeconds = 30
const QrCode = lazyPart(() => import('./qr-code.js'))

/** Shows the current code of the user's authenticator app. */
function SecondFactor({ user }: { user: AppUser }) {
  const { control } = useSession()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const [left, setLeft] = useState(stepSeconds)
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'code', user.id],
    queryFn: () => control.users.code({ user: user.id }),
    staleTime: 0,
  })
  useEffect(() => {
    // The code follows the emulator's clock.
    const stepNow = () => Math.floor(emulatorNow() / 1_000 / stepSeconds)
    let step = stepNow()
    const timer = setInterval(() => {
      setLeft(stepSeconds - (Math.floor(emulatorNow() / 1_000) % stepSeconds))
      if (stepNow() === step) return
      step = stepNow()
      void refetch()
    }, 1_000)
    return () => clearInterval(timer)
  }, [refetch])
  if (error) {
    const isOff = error instanceof SvcError && (error.status === 404 || error.status === 409 || error.status === 400)
    return isOff ? (
      <Facts
        rows={[
          [
            'second factor',
            <span key="off" className="dim">
              off
            </span>,
          ],
        ]}
      />
    ) : (
      <Failure error={error} />
    )
  }
  const turnOff = () =>
    run(async () => {
      await control.users.update({ user: user.id, twoFactor: false })
      await queries.invalidateQueries({ queryKey: ['users'] })
    })
  return (
    <>
      <Facts
        rows={[
          [
            'second factor',
            data ? (
              <span key="code">
                <b className="code">{data.code}</b> <span className="dim">{left} s</span> <Copy text={data.code} />
              </span>
            ) : (
              '…'
            ),
            <button key="off" type="button" className="link" disabled={isBusy} onClick={turnOff}>
              turn off
            </button>,
          ],
        ]}
      />
      {data ? (
        <Suspense fallback={<div className="qr-code" />}>
          <QrCode text={data.otpauthUrl} label="QR code for an authenticator app" />
        </Suspense>
      ) : null}
    </>
  )
}

function Foot({ user, onClose }: { user: AppUser; onClose: () => void }) {
  const { control, actAs, acting } = useSession()
  const { doUndoably, notify } = useUndo()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const isActing = acting?.user.id === user.id
  async function copyToken() {
    await writeText(async () => (await control.users.token({ user: user.id })).token)
    notify({ text: 'Copied a token of a new session' })
  }
  async function remove() {
    const work = () => control.users.remove({ user: user.id })
    if (!(await doUndoably(`Deleted ${user.email}`, `svc users delete ${user.email}`, work))) return
    if (isActing) await actAs(undefined)
    await queries.invalidateQueries({ queryKey: ['users'] })
    onClose()
  }
  async function logOut() {
    await control.users.logOut({ user: user.id })
    if (isActing) await actAs(undefined)
    notify({ text: `Ended all sessions of ${user.email}` })
  }
  return (
    <>
      <Menu
        trigger="More"
        entries={[
          { label: 'Copy a token', run: () => run(copyToken) },
          { label: 'End all sessions', run: () => run(logOut) },
          { label: 'Delete', isBad: true, run: () => run(remove) },
        ]}
      />
      <span className="grow" />
      <Button look="main" disabled={isBusy} onClick={() => run(() => actAs(isActing ? undefined : user))}>
        {isActing ? 'Act as the owner' : 'Act as'}
      </Button>
    </>
  )
}
