import { useEffect, useState } from 'react'
import type { AppUser } from 'svc-toolkit-client'
import { type Profile, svc, useAuth } from './svc'

export type People = ReadonlyMap<string, AppUser<Profile>>

/** Reads these users, and reads them again when the signed-in user changes an avatar. */
export function usePeople(ids: readonly string[]): People {
  const { user } = useAuth()
  const [people, setPeople] = useState<People>(new Map())
  const key = ids.join()
  useEffect(() => {
    let isOver = false
    void svc.users.list({ where: { id: { in: key.split(',') } } }).then(
      ({ items }) => isOver || setPeople(new Map(items.map((person) => [person.id, person]))),
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [key, user])
  return people
}

export function Avatar({ person }: { person: AppUser<Profile> | undefined }) {
  const email = person?.email ?? ''
  const src = person?.data.avatar
  return src ? (
    <img className="avatar" src={src} alt={email} title={email} />
  ) : (
    <span className="avatar" title={email}>
      {email.slice(0, 2)}
    </span>
  )
}
