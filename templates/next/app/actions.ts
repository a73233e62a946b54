'use server'

import { revalidatePath } from 'next/cache'
import { SvcError } from 'svc-toolkit-client'
import { openVisitor } from '../svc'

/** Result of a form: why it was refused, and whether a code is needed next. */
export interface Outcome {
  problem?: string
  /** Email of a login that needs a code. */
  email?: string
}

// Next compares the origin of each action with the host, so no other site can call them.

export async function signIn({ email }: Outcome, form: FormData): Promise<Outcome> {
  const { auth } = await openVisitor()
  const given = { email: email ?? String(form.get('email')), password: String(form.get('password')) }
  return attempt(async () => {
    if (email) return void (await auth.verifyCode({ email, code: String(form.get('code')) }))
    const result = form.get('new') ? await auth.signUp(given) : await auth.logIn(given)
    if (result.requires2fa) return { email: given.email }
  }, email)
}

export async function signOut(): Promise<void> {
  await (await openVisitor()).auth.logOut()
  revalidatePath('/')
}

export async function add(_before: Outcome, form: FormData): Promise<Outcome> {
  const svc = await openVisitor()
  return attempt(async () => {
    const by = (await svc.auth.session())?.user.email ?? ''
    await svc.collection('tasks').create({ title: String(form.get('title')), done: false, by })
  })
}

export async function toggle(id: string, done: boolean): Promise<void> {
  await (await openVisitor()).collection('tasks').update(id, { done })
  revalidatePath('/')
}

export async function remove(id: string): Promise<void> {
  await (await openVisitor()).collection('tasks').delete(id)
  revalidatePath('/')
}

/** Turns a refusal into words for the form, because Next hides the messages of thrown errors. */
async function attempt(work: () => Promise<Outcome | undefined | void>, email?: string): Promise<Outcome> {
  try {
    const outcome = await work()
    revalidatePath('/')
    return outcome ?? {}
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return { problem: error.message, email }
  }
}
