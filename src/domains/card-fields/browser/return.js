/** The end of a challenge. It tells the layer around it, which has the origin of this page, and says nothing else. */
if (parent !== window) parent.postMessage({ type: 'platform-fields/returned' }, location.origin);
