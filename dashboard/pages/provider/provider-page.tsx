/** Manages accounts of the built-in login provider, and makes the next logins fail. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ProviderFault, providerFaults } from '../../../client/protocol/model/provider-login.js'
import { useCommand } from '../../frame/command-line.js'
import { refreshMilliseconds } from '../../frame/counts.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { useEvents } from '../../live/context.js'
import { Query } from '../../live/query.js'
import { Button, Copy } from '../../parts/button.js'
import { EventLine } from '../../parts/event-line.js'
import { Page } from '../../parts/layout.js'
import { useSession } from '../../session/context.js'
import { type Account, AccountDialog } from './account-dialog.js'
import { LastFlows } from './flows.js'

export function ProviderPage() {
  const { control } = useSession()
  const [edited, setEdited] = useState<Account | 'new'>()
  const accounts = useQuery({
    queryKey: ['flows', 'accounts'],
    queryFn: async () => (await control.idp.accounts.list()).accounts,
    refetchInterval: refreshMilliseconds,
  })
  useCommand('svc idp login')
  return (
    <Page
      title="Login provider"
      facts={accounts.data ? `${accounts.data.length} accounts · no passwords needed` : ''}
      actions={
        <>
          <StartLogin />
          <Button look="main" data-key="new" onClick={() => setEdited('new')}>
            New account
          </Button>
        </>
      }
    >
      <NextLogins />
      <h2 className="section">Accounts</h2>
      <Query query={accounts}>
        {(found) => (
          <ul className="accounts">
            {found.map((account) => (
              <li key={account.id}>
                <button type="button" className="row-button" onClick={() => setEdited(account)}>
                  <b>
                    <bdi>{account.name}</bdi>
                  </b>
                  <span className="mono dim cut">{account.email ?? 'no email'}</span>
                  <span className="mono dim cut grow">
                    {Object.keys(account.claims).length === 0 ? '' : JSON.stringify(account.claims)}
                  </span>
                  <span className={`tag ${account.emailVerified ? 'good' : 'warn'}`}>
                    {account.emailVerified ? 'verified' : 'not verified'}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Query>
      <LastFlows />
      <LastLogins />
      {edited === undefined ? null : (
        <AccountDialog account={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  )
}

/** Starts a login in a new tab. It ends on an emulator page that shows the result. */
function StartLogin() {
  const { control, project, url } = useSession()
  const { notify } = useUndo()
  const [isBusy, run] = useAction()
  const [address, setAddress] = useState<string>()
  const start = () =>
    run(async () => {
      const { url: login } = await control.idp.logins.start({
        project: project.id,
        completeUrl: `${url}/_svc/login-complete`,
      })
      setAddress(login)
      notify({ text: 'The login address is ready' })
    })
  if (address === undefined) {
    return (
      <Button disabled={isBusy} onClick={start}>
        Log in
      </Button>
    )
  }
  return (
    <>
      <Copy text={address} label="copy address" />
      <a className="button plain" href={address} target="_blank" rel="noreferrer" onClick={() => setAddress(undefined)}>
        Open the login
      </a>
    </>
  )
}

/** Shows and sets how the next login fails. */
function NextLogins() {
  const { control } = useSession()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const { data } = useQuery({
    queryKey: ['flows', 'faults'],
    queryFn: async () => (await control.idp.faults.list()).faults,
    refetchInterval: refreshMilliseconds,
  })
  const change = (work: () => Promise<unknown>) =>
    run(async () => {
      await work()
      await queries.invalidateQueries({ queryKey: ['flows'] })
    })
  return (
    <div className="next-logins">
      <b>Next login</b>
      {data?.length === 0 ? <span className="good">succeeds</span> : null}
      {data?.map(({ fault, times }) => (
        <span key={fault} className="tag warn">
          {providerFaults[fault].says}
          {times === null ? ', until cleared' : times > 1 ? `, ${times} times` : ''}
        </span>
      ))}
      <span className="grow" />
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const fault = String(form.get('fault')) as ProviderFault
          change(() => control.idp.faults.set({ fault, times: form.get('always') === 'on' ? null : 1 }))
        }}
      >
        <select name="fault" aria-label="How the next login fails">
          {Object.entries(providerFaults).map(([name, { says }]) => (
            <option key={name} value={name}>
              {says}
            </option>
          ))}
        </select>
        <label className="check">
          <input type="checkbox" name="always" /> until cleared
        </label>
        <Button type="submit" disabled={isBusy}>
          Make it fail
        </Button>
        <Button disabled={isBusy || !data?.length} onClick={() => change(() => control.idp.faults.clear())}>
          Clear
        </Button>
      </form>
    </div>
  )
}

const maxLogins = 20

function LastLogins() {
  const logins = useEvents().filter(({ kind }) => kind.startsWith('login.'))
  return (
    <>
      <h2 className="section">Last logins</h2>
      {logins.length === 0 ? <p className="padded dim">No logins since you opened this page.</p> : null}
      <ul>
        {logins.slice(0, maxLogins).map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </ul>
    </>
  )
}
