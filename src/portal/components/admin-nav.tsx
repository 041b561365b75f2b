const LINKS = [
  ['/admin', 'Accounts'],
  ['/admin/audit', 'Audit'],
  ['/admin/service', 'Service'],
] as const

/** The navigation between the operator's pages. */
export function AdminNav({ path }: { readonly path: string }) {
  return (
    <nav class="tabs" aria-label="Administration">
      <ul>
        {LINKS.map(([href, label]) => (
          <li key={href}>
            <a href={href} aria-current={href === path ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
