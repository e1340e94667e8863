/** The mark of the platform: two P, one leaning on the other, whose bowls are cards. */
export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1a56db"/>
<path d="M13 6h9a4 4 0 0 1 4 4v3a4 4 0 0 1-4 4" fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="2.5"
  stroke-linecap="round"/>
<path d="M8 26V13a2 2 0 0 1 2-2h8a3 3 0 0 1 3 3v4a3 3 0 0 1-3 3h-7v5z" fill="#fff"/>
<path d="M11 14.5h7" stroke="#1a56db" stroke-width="2" stroke-linecap="round"/>
</svg>
`;
