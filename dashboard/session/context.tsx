/** Provides the session, and the user that the page acts as. */
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { AppUser, Client } from '../../client/index.js'
import { refetchShown } from '../parts/refetch-shown.js'
import type { Session } from './session.js'
import { openActingStore } from './storage.js'

export interface Acting {
  readonly user: AppUser
  readonly token: string
}

interface Current extends Session {
  /** Calls as the acting user, or as the owner. Pages read and write data with it. */
  readonly client: Client
  readonly acting: Acting | undefined
  /** Switches to a user, or back to the owner. */
  readonly actAs: (user: AppUser | undefined) => Promise<void>
}

const Context = createContext<Current | undefined>(undefined)

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient()
  const kept = useMemo(() => openActingStore(session.folder, session.project.id), [session])
  const [acting, setActing] = useState<Acting | undefined>(() => actingAgain(kept.read()))
  const begin = useCallback(
    async (user: AppUser): Promise<Acting> => ({ user, ...(await session.control.users.token({ user: user.id })) }),
    [session],
  )
  const actAs = useCallback(async (user: AppUser | undefined) => setActing(user && (await begin(user))), [begin])
  // Do nothing if the page acts as another user by now.
  const replaceActing = useCallback(
    (before: Acting, next: Acting) => setActing((now) => (now === before ? next : now)),
    [],
  )
  const renew = useCallback(
    async (before: Acting) => replaceActing(before, await begin(before.user)),
    [begin, replaceActing],
  )
  const client = useMemo(() => {
    if (!acting) return session.owner
    // Start a new session after one that ended, or that expired because the clock moved. The frame shows a notice if the
    // user was deleted. If renewal fails, the next refused request tries again.
    const onEnd = () => renew(acting).catch(() => replaceActing(acting, { ...acting }))
    return session.createUserClient(acting.user, acting.token, () => void onEnd())
  }, [session, acting, replaceActing, renew])
  useEffect(() => {
    if (acting?.token !== noToken) return
    void renew(acting).catch(() => undefined)
  }, [acting, renew])
  useEffect(() => kept.write(acting ? JSON.stringify(acting.user) : null), [kept, acting])
  // Repeat the requests that the ended session refused.
  const token = acting?.token
  useEffect(() => {
    if (token !== undefined) void refetchShown(queries)
  }, [queries, token])
  const current = useMemo(() => ({ ...session, acting, actAs, client }), [session, acting, actAs, client])
  return <Context value={current}>{children}</Context>
}

/** Placeholder after a reload, until the page has a new token. */
const noToken = '-'

/** Restores the acting user after a reload. If the user was deleted since, the frame shows a notice. */
function actingAgain(text: string | null): Acting | undefined {
  return text === null ? undefined : { user: JSON.parse(text) as AppUser, token: noToken }
}

export function useSession(): Current {
  const current = useContext(Context)
  if (!current) throw new Error('useSession needs a SessionProvider.')
  return current
}
